const THEMES = /** @type {const} */ (['system', 'light', 'dark'])
const STORED = 'svc-theme'

/**
 * Makes a button switch between the colour schemes: the system's, light, dark. The browser stores the choice where it
 * has storage.
 *
 * @param {HTMLButtonElement} button
 */
export function wireThemeButton(button) {
  let current = THEMES.find((theme) => theme === document.documentElement.dataset['theme']) ?? 'system'
  const show = () => {
    button.textContent = `Theme: ${current}`
    if (current === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = current
  }
  button.addEventListener('click', () => {
    current = THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system'
    show()
    try {
      localStorage.setItem(STORED, current)
    } catch {
      // A browser that keeps nothing forgets it with the page.
    }
  })
  show()
}
