/**
 * A path begins at the project (`.`), the home (`~`), the root (`/`), an environment variable, or each
 * settings folder (`%`), and is a glob. In `servers`, names lead down a level and may contain dots, `*` is
 * every member, and an empty text the file itself. Sources: test/cli/inventory/README.md.
 */
export const clients: Readonly<Record<string, { files: readonly string[]; servers: readonly string[] }>> = {
  'Claude Code': {
    files: [
      './.mcp.json',
      './.claude-plugin/plugin.json',
      '~/.claude.json',
      '$CLAUDE_CONFIG_DIR/.claude.json',
      '~/.claude/plugins/{cache,marketplaces}/**/{.mcp.json,.claude-plugin/plugin.json}',
      '/etc/claude-code/managed-mcp.json',
      '/Library/Application Support/ClaudeCode/managed-mcp.json',
      '$PROGRAMFILES/ClaudeCode/managed-mcp.json',
    ],
    servers: ['mcpServers', 'projects.*.mcpServers', ''],
  },
  'Claude Desktop': { files: ['%/Claude/claude_desktop_config.json'], servers: ['mcpServers'] },
  'VS Code': {
    files: [
      './.vscode/{mcp,settings}.json',
      '%/Code{, - Insiders}/User/mcp.json',
      '%/Code{, - Insiders}/User/profiles/*/mcp.json',
      '%/Code{, - Insiders}/User/settings.json',
    ],
    servers: ['servers', 'mcp.servers'],
  },
  'dev containers': {
    files: ['./.devcontainer.json', './.devcontainer/{,*/}devcontainer.json'],
    servers: ['customizations.vscode.mcp.servers'],
  },
  'Visual Studio': { files: ['./.vs/mcp.json', './.mcp.json', '~/.mcp.json'], servers: ['servers'] },
  Cursor: { files: ['./.cursor/mcp.json', '~/.cursor/mcp.json'], servers: ['mcpServers', ''] },
  Cline: {
    files: [
      '%/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
      '~/.cline/data/settings/cline_mcp_settings.json',
    ],
    servers: ['mcpServers'],
  },
  Roo: {
    files: [
      './.roo/mcp.json',
      '%/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    ],
    servers: ['mcpServers'],
  },
  Kiro: { files: ['./.kiro/settings/mcp.json', '~/.kiro/settings/mcp.json'], servers: ['mcpServers'] },
  'Amazon Q': {
    files: [
      './.amazonq/{mcp,default}.json',
      './.amazonq/cli-agents/*.json',
      '~/.aws/amazonq/{mcp,default}.json',
      '~/.aws/amazonq/cli-agents/*.json',
    ],
    servers: ['mcpServers'],
  },
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
  Amp: { files: ['./.amp/settings.json', '%/amp/settings.json'], servers: ['amp.mcpServers'] },
  Goose: {
    files: ['~/.config/goose/config.yaml', '$APPDATA/Block/goose/config/config.yaml'],
    servers: ['extensions'],
  },
  'LM Studio': { files: ['~/.lmstudio/mcp.json'], servers: ['mcpServers'] },
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

/** Searched on every system. */
export const settingsFolders = ['~/Library/Application Support', '$APPDATA', '$XDG_CONFIG_HOME', '~/.config'];
