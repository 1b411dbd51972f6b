import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { useApi } from '../../support/api.ts'
import { canOpenPages, usePages } from '../../support/pages/pages.ts'

describe('the reference page in a browser', () => {
  const api = useApi()
  const pages = usePages()
  const itInBrowser = canOpenPages ? it : it.skip

  itInBrowser('shows every operation and asks no other host (needs /usr/bin/chromium)', async () => {
    const opened = await pages.open(`${api.url}/docs`)
    const { page, requests, troubles } = opened
    // A long document is drawn as far as it is seen.
    await page.setViewportSize({ width: 1200, height: 20_000 })
    while ((await page.locator('.opblock').count()) < ROUTES.length) await setTimeout(200)
    const html = await page.content()
    await opened.close()
    for (const { method, path, group, operationId, summary } of ROUTES) {
      expect(html).to.contain(`<div class="opblock opblock-${method}" id="operations-${group}-${operationId}"`)
      expect(html).to.contain(`data-path="${path}"`).and.to.contain(escapeHtml(summary))
    }
    expect(html).to.contain('/v1/compile').and.not.contain('Failed to load API definition')
    expect(requests).to.include.members([
      `${api.url}/docs/assets/swagger-ui-bundle.js`,
      `${api.url}/docs/assets/swagger-ui.css`,
      `${api.url}/openapi.json`,
    ])
    expect(requests.filter((url) => new URL(url).origin !== api.url && !url.startsWith('data:'))).to.deep.equal([])
    // What the page's policy holds back never becomes a request, but the browser logs it.
    expect(troubles).to.deep.equal([])
  })
})

/** Text as the browser writes it out again. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
