import { computed, signal } from '@preact/signals'
import { html } from 'htm/preact'

const THEMES = /** @type {const} */ (['system', 'light', 'dark'])
const STORED = 'svc-theme'

const chosen = signal(THEMES.find((theme) => theme === document.documentElement.dataset['theme']) ?? 'system')
const system = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(system.matches)
system.addEventListener('change', () => {
  isSystemDark.value = system.matches
})

/** The colour scheme that is shown. */
export const scheme = computed(() => {
  if (chosen.value !== 'system') return chosen.value
  return isSystemDark.value ? 'dark' : 'light'
})

/**
 * Switches between the colour schemes: the system's, light, dark. The browser stores the choice where it has storage.
 */
export function ThemeButton() {
  const turn = () => {
    const next = THEMES[(THEMES.indexOf(chosen.value) + 1) % THEMES.length] ?? 'system'
    if (next === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = next
    chosen.value = next
    try {
      localStorage.setItem(STORED, next)
    } catch {
      // A browser that keeps nothing forgets it with the page.
    }
  }
  return html`<button type="button" class="quiet" id="theme" onClick=${turn}>Theme: ${chosen.value}</button>`
}
