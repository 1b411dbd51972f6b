import { addThemeButton } from './theme-button.js'

/** @typedef {{ createApiReference(place: string, settings: object): void }} Scalar */

const { Scalar } = /** @type {{ Scalar: Scalar }} */ (/** @type {unknown} */ (globalThis))
const system = matchMedia('(prefers-color-scheme: dark)')
const isDark = () => (document.documentElement.dataset['theme'] ?? (system.matches ? 'dark' : 'light')) === 'dark'

// It asks this server only: no proxy, fonts, telemetry, registry or assistant of its maker.
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  agent: { disabled: true },
  mcp: { disabled: true },
  darkMode: isDark(),
  hideDarkModeToggle: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  /** @param {{ operationId?: string, method: string, path: string }} operation */
  generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method}${path}`,
})

const showScheme = () => {
  document.body.classList.toggle('dark-mode', isDark())
  document.body.classList.toggle('light-mode', !isDark())
}
system.addEventListener('change', showScheme)
const bar = document.querySelector('.bar')
if (bar) addThemeButton(bar, showScheme)

// Some of Scalar's buttons have an icon for a name, or a name that differs from what they show, and the keyboard cannot
// reach a long description of an answer.
const mendBarriers = () => {
  for (const description of document.querySelectorAll('#reference .response-card-footer'))
    if (description instanceof HTMLElement) description.tabIndex = 0
  for (const button of document.querySelectorAll('#reference button')) {
    const text = button instanceof HTMLElement ? button.innerText.trim() : ''
    if (button.classList.contains('show-more')) button.removeAttribute('aria-label')
    else if (text === '' && !button.hasAttribute('aria-label') && !button.hasAttribute('aria-labelledby'))
      button.ariaLabel = 'Copy'
  }
}
let isWaiting = false
const mendSoon = () => {
  if (isWaiting) return
  isWaiting = true
  requestAnimationFrame(() => {
    isWaiting = false
    mendBarriers()
  })
}
new MutationObserver(mendSoon).observe(document.body, { childList: true, subtree: true })
