import { expect } from 'chai'
import { createMailer } from '../../core/mail/create-mailer.ts'
import { DEFAULT_LIMITS } from '../../core/tenancy/limits.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../support/api.ts'
import { canOpenPages, findBarriers, takePicture, usePages, type Look, type OpenPage } from '../support/pages.ts'
import { useMailServer } from '../support/mail/smtp.ts'
import { nameExamples, useService } from '../workflows/service.ts'

const PAGES = ['jobs', 'artifacts', 'usage', 'keys', 'sessions', 'audit', 'account']

describe('the console in a browser', function () {
  this.timeout(300_000)
  const server = useMailServer()
  const service = useService({
    change: (deps) => ({
      ...deps,
      mailer: createMailer({ smtpUrl: server.current.smtpUrl, from: 'Service <no-reply@service.test>' }),
    }),
  })
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
    settings: { isMailConfigured: true },
    limits: { mails_per_ip_15min: DEFAULT_LIMITS.mails_per_ip_15min * 10 },
  })
  const pages = usePages()
  const itInBrowser = canOpenPages ? it : it.skip
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
    // Something to draw: units of some days of this month.
    const month = new Date().toISOString().slice(0, 7)
    for (const [day, units] of [900, 1400, 300, 0, 2100, 1700, 250].entries()) {
      await service.database.db.query(
        `insert into usage_days (tenant_id, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros,
           latency_sum_us) values ($1, $2, 'quota_units', 'default', '', '', $3, 0, 0)`,
        [tenant.id, `${month}-0${day + 1}`, units],
      )
    }
  })

  const signIn = async (look?: Look): Promise<OpenPage> => {
    const opened = await pages.open(api.url, look)
    await opened.page.getByLabel('API key').fill(tenant.key)
    await opened.page.getByRole('button', { name: 'Sign in' }).click()
    await opened.page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor()
    return opened
  }
  /** Every page asks this server alone, and its policy has held nothing back. */
  const expectUntroubled = ({ requests, troubles }: OpenPage): void => {
    expect(requests.filter((url) => new URL(url).origin !== api.url && !url.startsWith('data:'))).to.deep.equal([])
    expect(troubles).to.deep.equal([])
  }

  it('is served with a policy that lets nothing in from elsewhere, and is asked for once', async () => {
    const page = await api.call('GET', '/')
    expect(page.headers.get('content-type')).to.contain('text/html')
    expect(page.headers.get('content-security-policy')).to.contain("default-src 'none'").and.not.contain('unsafe')
    expect(page.text).not.to.match(/<script>|<style>| style=| on\w+=|https?:\/\//)
    const links = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links).to.have.length.greaterThan(5)
    for (const link of links) expect((await api.call('GET', link)).status, link).to.equal(200)
    const again = await api.call('GET', '/', { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })
    expect(again.status).to.equal(304)
    for (const path of ['/console/tsconfig.json', '/console/', '/console/../package.json', '/console/none.js']) {
      expect((await api.call('GET', path)).status, path).to.equal(404)
    }
  })

  itInBrowser('signs in and out with the keyboard alone', async () => {
    const opened = await pages.open(api.url)
    const { page } = opened
    const keys = page.keyboard
    const focused = async () =>
      String(await page.evaluate(`document.activeElement?.textContent?.trim() || document.activeElement?.id || ''`))
    const tabTo = async (wanted: string): Promise<void> => {
      for (let presses = 0; presses < 40; presses++) {
        if ((await focused()) === wanted) return
        await keys.press('Tab')
      }
      expect.fail(`no Tab reaches ${wanted}`)
    }
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await keys.press('Tab')
    expect(await focused()).to.equal('Skip to the content')
    await tabTo('field-api_key')
    await keys.type('ks_000000000000_00000000000000000000000000')
    await keys.press('Enter')
    await page.getByRole('alert').getByText('The API key is not valid.').waitFor()
    await page.getByLabel('API key').fill('')
    await page.getByLabel('API key').focus()
    await keys.type(tenant.key)
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor()
    expect(await focused()).to.equal('Jobs')
    await page.evaluate('document.activeElement.blur()')
    await tabTo('Audit log')
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
    expect(await page.title()).to.equal('Audit log · svc')
    await tabTo('Verify the chain')
    await keys.press('Space')
    await page.getByText(/The chain is whole: \d+ entries/).waitFor()
    // Nothing that signs in is where a script or a passer-by could read it.
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.to.contain('ks_')
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('signs in with the link of a mail, which only a click uses up', async () => {
    const email = `reader-${Date.now()}@example.test`
    await api.call('POST', '/v1/signup', { body: { email } })
    const opened = await pages.open(api.url)
    const { page } = opened
    await page.getByRole('heading', { name: 'With a link by mail' }).waitFor()
    await page.getByLabel('I have lost my key').check()
    await page.locator('input[name=email]').fill(email)
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByText('a link is on its way').waitFor()
    let link: string | undefined
    while (link === undefined) {
      const mail = await server.current.next(email)
      // The first mail asks to verify the address of the sign-up.
      if (mail.subject?.includes('key')) link = /http\S+#confirm=[\w-]+/.exec(mail.text ?? '')?.[0]
    }
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('dialog').getByText(/^ks_/).waitFor()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor()
    expect(page.url()).to.equal(`${api.url}/#/jobs`)
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('follows a compile live, and shows its artifact with the interval of K', async () => {
    const held = service.hold()
    const created = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Write the family name first', examples: nameExamples(), k_score_floor: 0.5, mode: 'async' },
    })
    expect(created.status, created.text).to.equal(202)
    const opened = await signIn()
    const { page } = opened
    await page.getByRole('link', { name: created.body.job_id }).click()
    await page.getByRole('heading', { name: 'Job', level: 1 }).waitFor()
    await held.reached
    await page.locator('[data-stage=k-sample][data-status=running]').waitFor()
    expect(await page.locator('[data-stage=verify]').getAttribute('data-status')).to.equal('waiting')
    await takePicture(page, 'job-running-light')
    held.release()
    await page.locator('.facts [data-status=completed]').waitFor({ timeout: 240_000 })
    await page.locator('[data-stage=sign][data-status=done]').waitFor()
    await takePicture(page, 'job-done-light')

    await page.getByRole('link', { name: 'Artifacts' }).click()
    await page.getByRole('img', { name: /^K [01]\.\d+, 95 % interval 0\.\d+ to [01]\.\d+$/ }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: /^Download/ }).click()
    expect((await download).suggestedFilename()).to.equal(`${created.body.job_id}.svc`)
    await page.getByRole('button', { name: /^Share/ }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = await page.locator('.secret').textContent()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    const shared = await api.call('GET', new URL(link ?? '').pathname)
    expect([shared.status, shared.body.name]).to.deep.equal([200, 'Write the family name first'])
    await page.getByRole('heading', { name: 'Shared links' }).waitFor()
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('mints a key, shows it once, and revokes it', async () => {
    const opened = await signIn()
    const { page } = opened
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Label').fill('reader')
    await page.getByLabel('account:read').check()
    await page.getByRole('button', { name: 'Make the key' }).click()
    const secret = (await page.locator('.secret').textContent()) ?? ''
    expect((await api.call('GET', '/v1/account', { key: secret })).status).to.equal(200)
    expect((await api.call('GET', '/v1/compile', { key: secret })).status).to.equal(403)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('cell', { name: 'reader', exact: true }).waitFor()
    expect(await page.content()).not.to.contain(secret)
    await page.getByRole('button', { name: 'Revoke reader' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByText('ended').waitFor()
    expect((await api.call('GET', '/v1/account', { key: secret })).status).to.equal(401)
    expectUntroubled(opened)
    await opened.close()
  })

  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1200, 390]) {
      itInBrowser(`has no barriers in ${scheme} at ${width} pixels, on any page`, async () => {
        const opened = await signIn({ scheme, width })
        const { page } = opened
        for (const name of PAGES) {
          await page.goto(`${api.url}/#/${name}`)
          await page.locator(`nav [aria-current=page][href="#/${name}"]`).waitFor({ state: 'attached' })
          await page.locator('main:not([aria-busy])').waitFor()
          expect(await page.locator('.error').count(), name).to.equal(0)
          expect(await findBarriers(page), name).to.deep.equal([])
          const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
          expect(overflow, `${name} is wider than the screen`).to.be.at.most(0)
          await takePicture(page, `${name}-${scheme}-${width}`)
        }
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
        expect(await findBarriers(page)).to.deep.equal([])
        await takePicture(page, `sign-in-${scheme}-${width}`)
        expectUntroubled(opened)
        await opened.close()
      })
    }
  }
})
