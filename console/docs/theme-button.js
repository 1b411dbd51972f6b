const THEMES = /** @type {const} */ (['system', 'light', 'dark'])

/**
 * Adds a button that switches the colour scheme: the system's, light, dark. The console reads the same choice.
 *
 * @param {Element} bar
 * @param {() => void} [turned] called after a change
 */
export function addThemeButton(bar, turned) {
  const root = document.documentElement.dataset
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'theme'
  let shown = THEMES.find((theme) => theme === root['theme']) ?? 'system'
  const show = () => (button.textContent = `Theme: ${shown}`)
  button.addEventListener('click', () => {
    shown = THEMES[(THEMES.indexOf(shown) + 1) % THEMES.length] ?? 'system'
    if (shown === 'system') delete root['theme']
    else root['theme'] = shown
    try {
      localStorage.setItem('svc-theme', shown)
    } catch {
      // A browser without storage forgets the choice with the page.
    }
    show()
    turned?.()
  })
  show()
  bar.append(button)
}
