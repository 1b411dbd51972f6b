import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { findBarriers, takePicture } from './pages.ts'

/** Looks at what is shown in both themes and widths: no barrier, nothing wider than the screen, and a picture each. */
export async function lookAround(page: Page, name: string): Promise<void> {
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 800 })
      expect(await findBarriers(page), name).to.deep.equal([])
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      expect(overflow, `${name} is wider than the screen`).to.be.at.most(0)
      await takePicture(page, `${name}-${colorScheme}-${width}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  if (before !== null) await page.setViewportSize(before)
}
