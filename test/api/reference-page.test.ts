import { expect } from 'chai'
import { ROUTES } from '../../api/routes/index.ts'
import { useApi } from '../support/api.ts'
import { hasChromium, renderPage } from '../support/chromium.ts'

describe('the reference page in a browser', () => {
  const api = useApi()
  const itInBrowser = hasChromium ? it : it.skip

  itInBrowser('shows every operation and asks no other host (needs /usr/bin/chromium)', async () => {
    const page = await renderPage(`${api.url}/docs`)
    for (const { method, path, group, operationId, summary } of ROUTES) {
      expect(page.html).to.contain(`<div class="opblock opblock-${method}" id="operations-${group}-${operationId}"`)
      expect(page.html).to.contain(`data-path="${path}"`).and.to.contain(escapeHtml(summary))
    }
    expect(page.html).to.contain('/v1/compile').and.not.contain('Failed to load API definition')
    expect(page.requests).to.include.members([
      `${api.url}/docs/assets/swagger-ui-bundle.js`,
      `${api.url}/docs/assets/swagger-ui.css`,
      `${api.url}/openapi.json`,
    ])
    expect(page.requests.filter((request) => new URL(request).origin !== api.url)).to.deep.equal([])
    // What the page's policy holds back never becomes a request, but is told on the console.
    expect(page.console.filter((line) => /Content Security Policy|Refused to|Uncaught/.test(line))).to.deep.equal([])
  })
})

/** Text as the browser writes it out again. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
