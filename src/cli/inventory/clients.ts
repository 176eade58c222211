/**
 * Clients of MCP by name (their documentation: test/cli/inventory/README.md): the files that may hold servers, and where in them these are.
 * A path begins at the project (`.`), the home (`~`), a variable of the environment, or each place where systems keep settings of programs
 * (`%`), and goes on as a glob. In a file each name leads one level down, `*` to every member; servers are members by name, or a
 * list.
 */
export const clients: Readonly<Record<string, { files: readonly string[]; servers: readonly string[] }>> = {
  'Claude Code': {
    files: ['./.mcp.json', '~/.claude.json', '$CLAUDE_CONFIG_DIR/.claude.json'],
    servers: ['mcpServers', 'projects.*.mcpServers'],
  },
  'Claude Desktop': { files: ['%/Claude/claude_desktop_config.json'], servers: ['mcpServers'] },
  'VS Code': {
    files: ['./.vscode/mcp.json', '%/Code/User/mcp.json', '%/Code/User/settings.json'],
    servers: ['servers', 'mcp.servers'],
  },
  Cursor: { files: ['./.cursor/mcp.json', '~/.cursor/mcp.json'], servers: ['mcpServers'] },
  Codex: {
    files: ['./.codex/config.toml', '~/.codex/config.toml', '$CODEX_HOME/config.toml'],
    servers: ['mcp_servers'],
  },
  'Gemini CLI': { files: ['./.gemini/settings.json', '~/.gemini/settings.json'], servers: ['mcpServers'] },
  'Copilot CLI': { files: ['./.github/mcp.json', '~/.copilot/mcp-config.json'], servers: ['mcpServers'] },
  opencode: {
    files: ['./{,.opencode/}opencode.{json,jsonc}', '%/opencode/opencode.{json,jsonc}'],
    servers: ['mcp', 'mcp.servers'],
  },
  Windsurf: { files: ['~/.codeium/windsurf/mcp_config.json'], servers: ['mcpServers'] },
  Zed: {
    files: ['./.zed/settings.json', '%/zed/settings.json', '%/Zed/settings.json'],
    servers: ['context_servers'],
  },
  Continue: {
    files: ['./.continue/mcpServers/*.{yaml,yml,json}', '~/.continue/{,mcpServers/}*.{yaml,yml,json}'],
    servers: ['mcpServers'],
  },
};

/** Folders of settings on macOS, Windows and Linux; all are searched on every system. */
export const settingsFolders = ['~/Library/Application Support', '$APPDATA', '$XDG_CONFIG_HOME', '~/.config'];
