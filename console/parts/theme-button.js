const THEMES = /** @type {const} */ (['system', 'light', 'dark'])

/**
 * Lets a button walk through the colour schemes: the system's, light, dark. The choice stays with the browser.
 *
 * @param {HTMLButtonElement} button
 */
export function wireThemeButton(button) {
  const stored = localStorage.getItem('svc-theme')
  let current = THEMES.find((theme) => theme === stored) ?? 'system'
  const show = () => {
    button.textContent = `Theme: ${current}`
    if (current === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = current
  }
  button.addEventListener('click', () => {
    current = THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system'
    localStorage.setItem('svc-theme', current)
    show()
  })
  show()
}
