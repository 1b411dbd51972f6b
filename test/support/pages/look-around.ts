import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { findBarriers, takePicture, type Barriers } from './pages.ts'
import { expectTabReaches } from './tab-walk.ts'

/** Colours are the same at every width, and shapes in every theme. */
const LOOKS: readonly { readonly scheme: 'light' | 'dark'; readonly width: number; readonly of: Barriers | null }[] = [
  { scheme: 'light', width: 1280, of: 'all' },
  { scheme: 'dark', width: 1280, of: 'colours' },
  { scheme: 'dark', width: 390, of: null },
  { scheme: 'light', width: 390, of: 'shapes' },
]

/** Looks at what is shown in both themes and widths: no barrier, nothing wider than the screen, and a picture each. */
export async function lookAround(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()
  for (const { scheme, width, of } of LOOKS) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 800 })
    if (of !== null) expect(await findBarriers(page, of), name).to.deep.equal([])
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
    expect(overflow, `${name} is wider than the screen`).to.be.at.most(0)
    await takePicture(page, `${name}-${scheme}-${width}`)
  }
  if (before !== null) await page.setViewportSize(before)
}

/** Looks around a page of the console, and expects that the Tab key reaches each of its controls. */
export async function lookAtPage(page: Page, name: string): Promise<void> {
  await lookAround(page, name)
  await expectTabReaches(page, name)
}
