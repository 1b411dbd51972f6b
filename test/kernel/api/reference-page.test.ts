import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { ROUTES } from '../../../api/routes.ts'
import { useApi } from '../../support/api.ts'
import { canOpenPages, findBarriers, takePicture, usePages, type OpenPage } from '../../support/pages/pages.ts'

describe('the documentation in a browser (needs /usr/bin/chromium)', function () {
  this.timeout(300_000)
  const api = useApi()
  const pages = usePages()
  const itInBrowser = canOpenPages ? it : it.skip

  /** Expects that the page asked this server only, that its policy held nothing back, and that it has no barriers. */
  const expectAlone = ({ requests, troubles }: OpenPage): void => {
    expect(requests.filter((url) => new URL(url).origin !== api.url && !url.startsWith('data:'))).to.deep.equal([])
    // What the page's policy holds back never becomes a request, but the browser logs it.
    expect(troubles).to.deep.equal([])
  }

  for (const [scheme, width] of [
    ['light', 1200],
    ['dark', 390],
  ] as const) {
    itInBrowser(`has guides and a reference without barriers, in ${scheme} at ${width} pixels`, async () => {
      const opened = await pages.open(`${api.url}/docs`, { scheme, width })
      const { page } = opened
      for (const path of ['/docs', '/docs/guides/k-score', '/docs/formats/svc-format', '/docs/api#tag/run/run']) {
        await page.goto(api.url + path)
        if (path.startsWith('/docs/api')) await page.getByRole('heading', { name: 'Run a concept' }).first().waitFor()
        expect(await findBarriers(page), path).to.deep.equal([])
        const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
        expect(overflow, `${path} is wider than the screen`).to.be.at.most(0)
        await takePicture(page, `docs-${path.split('/').at(-1)}-${scheme}-${width}`)
      }
      expectAlone(opened)
      await opened.close()
    })
  }

  itInBrowser('shows every group and operation of the API in its reference', async () => {
    const opened = await pages.open(`${api.url}/docs/api`)
    const { page, requests } = opened
    await page.getByRole('button', { name: 'Search' }).first().waitFor()
    for (const group of new Set(ROUTES.map((route) => route.group))) {
      expect(await page.locator(`#reference [id$="tag/${group}"]`).count(), group).to.be.at.least(1)
    }
    // A group is drawn when it is opened; its address opens it.
    const { group, operationId, summary, path } = ROUTES.find((route) => route.path === '/v1/compile/{id}/accept') ?? {}
    await page.goto(`${api.url}/docs/api#tag/${group}/${operationId}`)
    await page.reload()
    await page
      .getByRole('heading', { name: summary ?? '' })
      .first()
      .waitFor()
    expect(await page.content()).to.contain(path)
    expect(requests).to.include.members([`${api.url}/docs/assets/scalar.js`, `${api.url}/openapi.json`])
    expectAlone(opened)
    await opened.close()
  })

  itInBrowser('finds a section by its words, with the keyboard alone', async () => {
    const opened = await pages.open(`${api.url}/docs`)
    const { page } = opened
    await page.keyboard.press('/')
    await page.keyboard.type('merkle tree')
    await page.getByRole('option').first().waitFor()
    expect(await findBarriers(page)).to.deep.equal([])
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/guides/batches#receipts')
    await page.keyboard.press('/')
    await page.keyboard.type('zzzz')
    await page.getByText('No section has all these words.').waitFor()
    expectAlone(opened)
    await opened.close()
  })

  itInBrowser('changes its scheme with the theme button, in guides and reference alike', async () => {
    const opened = await pages.open(`${api.url}/docs`)
    const { page } = opened
    const ground = async () => String(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
    await page.getByRole('button', { name: 'Theme: system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    await page.goto(`${api.url}/docs/api`)
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
    while (!(await page.locator('body.dark-mode').count())) await setTimeout(50)
    const dark = await ground()
    await page.getByRole('button', { name: 'Theme: dark' }).click()
    while (!(await page.locator('body.light-mode').count())) await setTimeout(50)
    expect(await ground()).not.to.equal(dark)
    await opened.close()
  })
})
