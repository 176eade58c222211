function addCopyButtons(root) {
  if (!navigator.clipboard) return;
  for (const block of root.querySelectorAll('pre.paste:not([data-copy])')) {
    block.dataset.copy = 'on';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    block.append(button);
  }
}
addCopyButtons(document);
