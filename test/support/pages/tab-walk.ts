import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** The controls that the Tab key must reach: all that are shown, enabled and not in a closed `details`. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(
  (control) => control.tabIndex >= 0 && !control.matches(':disabled') && control.checkVisibility({ visibilityProperty: true }),
)`

/** Presses Tab from the start of the page to its end, and expects that each control was focused on the way. */
export async function expectTabReaches(page: Page, name: string): Promise<void> {
  const count = Number(
    await page.evaluate(`(() => {
      document.activeElement?.blur()
      globalThis.reached = new Set()
      document.addEventListener('focusin', ({ target }) => globalThis.reached.add(target))
      return ${CONTROLS}.length
    })()`),
  )
  expect(count, name).to.be.above(0)
  // A field of several parts, such as a date, takes a press for each of them. The page is asked after as many presses as
  // are missed, since an answer takes longer than a press.
  let left = await missed(page)
  for (let presses = 0; presses < count * 3 && left.length > 0; left = await missed(page)) {
    for (const end = presses + left.length; presses < end; presses += 1) await page.keyboard.press('Tab')
  }
  expect(await missed(page), `${name}: controls that Tab does not reach`).to.deep.equal([])
}

/** The controls that were not focused; of a group of radio buttons one is enough. */
async function missed(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`(() => {
    const groups = new Set([...globalThis.reached].filter(({ type }) => type === 'radio').map(({ name }) => name))
    return ${CONTROLS}.filter((control) => !globalThis.reached.has(control) && !(control.type === 'radio' && groups.has(control.name)))
      .map((control) => control.outerHTML.slice(0, 200))
  })()`)
}
