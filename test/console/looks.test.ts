import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { ApiTenant } from '../support/api.ts'
import { readConsolePages } from '../support/pages/console-pages.ts'
import { lookAround, lookAtPage } from '../support/pages/look-around.ts'
import { givenMember, givenPlan, setUpOperation } from '../support/people/given-members.ts'
import { nameExamples } from '../support/workflows/service.ts'
import { expectSilent, itInBrowser, READ, settled, shown, useConsole } from './use-console.ts'
import { sendSql } from '../support/db/send-sql.ts'

/** Pages that are looked at here. The others are looked at by the tests that have their data. */
const PAGES_HERE = [
  'jobs',
  'compile',
  'job',
  'artifacts',
  'artifact',
  'diff',
  'again',
  'cloud',
  'datasets',
  'documents',
  'gateway',
  'usage',
  'billing',
  'keys',
  'people',
  'team',
  'sessions',
  'audit',
  'account',
] as const

describe('the looks of the console', function () {
  this.timeout(300_000)
  const site = useConsole()
  const { signIn } = site
  let tenant: ApiTenant
  /** The argument in the address of a page, by its name. */
  const argument = new Map<string, string>()
  before(async () => {
    tenant = await site.givenTenant()
    const { db } = site.service.database
    await givenPlan(db, tenant.id, 'teams')
    const op = setUpOperation(db, tenant.id)
    await givenMember(op, { role: 'member', email: 'a.person.with.a.rather.long.address@research.example.test' })
    const post = async (path: string, body: object) =>
      (await site.api.call('POST', path, { key: tenant.key, body })).body
    await post('/v1/account/scoped-keys', { scopes: ['account:read', 'compile:*', 'run'], label: 'reporting' })
    await post(`/v1/orgs/${tenant.id}/invites`, { email: 'guest@example.test', role: 'viewer' })
    argument.set('team', (await post('/v1/teams', { name: 'Research' })).team.id)
    const compiled = await post('/v1/compile', {
      task: 'Write the family name first, then a comma, then the given name, as an index of persons wants it',
      examples: nameExamples(),
      k_score_floor: 0.5,
    })
    for (const name of ['job', 'artifact', 'again']) argument.set(name, compiled.id)
    argument.set('diff', `${compiled.id}..${compiled.id}`)
    await post('/v1/share-links', { target_id: compiled.id })
    // Something to draw: units of some days of this month.
    const month = new Date().toISOString().slice(0, 7)
    for (const [day, units] of [900, 1400, 300, 0, 2100, 1700, 250].entries()) {
      await sendSql(
        db,
        `insert into usage_days (tenant_id, day, unit, namespace, team_id, member_id, quantity, cost_usd_micros,
           latency_sum_us) values ($1, $2, 'quota_units', 'default', '', '', $3, 0, 0)`,
        [tenant.id, `${month}-0${day + 1}`, units * 40],
      )
    }
  })

  itInBrowser('have no barriers on any page, in both themes, on a desk and on a phone', async () => {
    const opened = await signIn(tenant)
    const { page } = opened
    for (const name of PAGES_HERE) {
      const path = argument.has(name) ? `${name}/${argument.get(name)}` : name
      await page.goto(`${site.api.url}/#/${path}`)
      await page.locator(`main[data-page=${name}]${READ}`).waitFor()
      if (name === 'job') await page.locator('[data-stage=ready][data-status=done]').waitFor()
      expect(await page.locator('.error').count(), name).to.equal(0)
      await lookAtPage(page, name)
    }
    await page.goto(`${site.api.url}/#/keys`)
    await settled(page)
    await page.getByRole('button', { name: 'New key' }).click()
    await lookAround(page, 'dialog')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await shown(page, 'Sign in')
    await lookAtPage(page, 'sign-in')
    expectSilent(opened)
    await opened.close()
  })

  it('are looked at on every page of the console, here or in the test that has its data', async () => {
    const looked = new Set<string>(PAGES_HERE)
    for (const folder of ['test/console', 'test/learn/console']) {
      for (const file of await readdir(folder, { recursive: true })) {
        if (!file.endsWith('.test.ts')) continue
        const text = await readFile(`${folder}/${file}`, 'utf8')
        for (const [, name = ''] of text.matchAll(/lookAtPage\([\w.]+, '([\w-]+)'\)/g)) looked.add(name)
      }
    }
    const { PAGES, LINKS } = await readConsolePages()
    const pages = ['front', 'sign-in', ...Object.keys(PAGES), ...Object.keys(LINKS)]
    expect(pages.filter((name) => !looked.has(name))).to.deep.equal([])
  })

  itInBrowser('change with the theme button, and stay so', async () => {
    const opened = await signIn(tenant)
    const { page } = opened
    const ground = async () => String(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor'))
    const light = await ground()
    await page.getByRole('button', { name: 'Theme: system' }).click()
    expect(await ground()).to.equal(light)
    await page.getByRole('button', { name: 'Theme: light' }).click()
    const dark = await ground()
    expect(dark).not.to.equal(light)
    await page.reload()
    await settled(page)
    expect(await ground()).to.equal(dark)
    expectSilent(opened)
    await opened.close()
  })

  itInBrowser('move nothing where reduced motion is set', async () => {
    const opened = await signIn(tenant)
    const moving = await opened.page.evaluate(`[
      getComputedStyle(document.querySelector('.status')).transitionDuration,
      getComputedStyle(document.querySelector('progress'), '::-webkit-progress-value').transitionDuration,
    ].join()`)
    expect(moving).to.equal('0s,0s')
    await opened.close()
  })
})
