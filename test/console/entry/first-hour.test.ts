import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { lookAround, lookAtPage } from '../../support/pages/look-around.ts'
import { workbook } from '../../support/wire/workbook.ts'
import { expectSilent, expectUntroubled, itInBrowser, settled, shown, useConsole } from '../use-console.ts'

const FRONT = 'Show a few rows, fill in the rest'
/** Most interactions from the front page to the file of answers: clicks, pasted texts, chosen files. */
const MOST_INTERACTIONS = 12
/** Milliseconds for all of it. */
const MOST_MS = 60_000
const EXAMPLES = 8
const ROWS = 1000

const GIVEN = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Dennis', 'Frances', 'John']
const FAMILY = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Perlman', 'Ritchie', 'Allen', 'Backus']
/** Made-up people: each pair of names comes with ten different years. */
const people = Array.from({ length: ROWS }, (_, at) => {
  const [given, family] = [GIVEN[at % 10] ?? '', FAMILY[Math.floor(at / 10) % 10] ?? '']
  return { name: `${given} ${family}`, year: `${1950 + Math.floor(at / 100)}`, badge: `${family}, ${given}` }
})
/** Of the examples no two share a name. */
const examples = Array.from({ length: EXAMPLES + 3 }, (_, at) => people[at * 11] ?? { name: '', year: '', badge: '' })
const head = ['Name', 'Year', 'Badge']
const taught = [head, ...examples.map(({ name, year, badge }, at) => [name, year, at < EXAMPLES ? badge : ''])]
const whole = [head.slice(0, 2), ...people.map(({ name, year }) => [name, year])]

describe('the first hour, without an account', function () {
  this.timeout(300_000)
  const site = useConsole()

  /** Does the same on the page as a person, and counts it. */
  const handsOn = (page: Page) => {
    let interactions = 0
    const startedAt = Date.now()
    const press = async (role: 'button' | 'link', name: string) => {
      interactions += 1
      await page.getByRole(role, { name, exact: true }).click()
    }
    const choose = async (label: string, name: string, buffer: Buffer) => {
      interactions += 1
      await page
        .getByLabel(label, { exact: true })
        .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
    }
    const paste = async (label: string, text: string) => {
      interactions += 1
      await page.getByLabel(label, { exact: true }).fill(text)
    }
    const expectQuick = (what: string) => {
      const ms = Date.now() - startedAt
      if (process.env['SVC_MEASURE'] !== undefined) console.log({ what, interactions, ms })
      expect(interactions).to.be.at.most(MOST_INTERACTIONS)
      expect(ms).to.be.lessThan(MOST_MS)
    }
    return { press, choose, paste, expectQuick }
  }

  /** Downloads the answers of the whole file, and compares each one. */
  const expectAnswers = async (page: Page, press: () => Promise<void>) => {
    await page.getByRole('link', { name: 'Download all answers' }).waitFor({ timeout: 120_000 })
    const started = page.waitForEvent('download')
    await press()
    const text = await readFile(await (await started).path(), 'utf8')
    const [names = '', ...lines] = text.trimEnd().split('\r\n')
    expect(names).to.match(/^\ufeffName,Year,row,output,/)
    expect(lines).to.have.length(ROWS)
    const wrong = lines.filter((line, at) => !line.includes(`"${people[at]?.badge}"`))
    expect(wrong).to.deep.equal([])
  }

  itInBrowser('leads from pasted rows to a signed artifact, a file of answers and an account', async () => {
    const opened = await site.open()
    const { page } = opened
    const { press, choose, paste, expectQuick } = handsOn(page)
    await shown(page, FRONT)
    await paste('Your rows', taught.map((cells) => cells.join('\t')).join('\n'))
    await page
      .getByText(
        `${EXAMPLES} rows have an answer and are learned from; 3 have none and are filled afterwards. The answer is “Badge” from “Name”, “Year”.`,
      )
      .waitFor()
    await press('button', 'Fill the empty answers')
    await page.getByRole('heading', { name: '3 answers are filled' }).waitFor({ timeout: 240_000 })
    const filled = await page.locator('td.filled').allTextContents()
    expect(filled.map((text) => text.trim().replace(/ unlike.*/, ''))).to.deep.equal(
      examples.slice(EXAMPLES).map(({ badge }) => badge),
    )
    await lookAround(page, 'front-filled')
    await press('link', 'Use it on your whole file')
    await settled(page)
    await choose('File', 'people.csv', Buffer.from(whole.map((cells) => cells.join(',')).join('\n')))
    await press('button', 'Start the run')
    await expectAnswers(page, async () => await press('link', 'Download all answers'))
    expectQuick('pasted rows')
    // Of the three first steps one is left; the account has something to show for the others.
    await page.reload()
    const steps = page.getByRole('navigation', { name: 'First steps' })
    await steps.getByRole('link', { name: 'Share it by a link' }).waitFor()
    expect(await steps.getByRole('link').count()).to.equal(1)
    await lookAround(page, 'first-steps')
    // It cannot be left by accident.
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByText('cannot be opened again').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Make an account' }).click()
    await page.getByLabel('E-mail', { exact: true }).fill(`first-hour-${Date.now()}@example.test`)
    await page.getByRole('button', { name: 'Make it an account' }).click()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByText('This workspace has no account').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Compile', exact: true }).click()
    await page.getByText('Fill the column Badge').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await steps.waitFor({ state: 'detached' })
    expectSilent(opened)
    await opened.close()
  })

  itInBrowser('leads there from a workbook, on a phone', async () => {
    const opened = await site.open('/', { width: 390 })
    const { page } = opened
    const { press, choose, expectQuick } = handsOn(page)
    await shown(page, FRONT)
    await choose('Or a file', 'taught.xlsx', await workbook([{ name: 'People', rows: taught }]))
    await page.getByText(`${EXAMPLES} rows have an answer and are learned from; 3 have none`).waitFor()
    // Its rows are shown before anything is compiled.
    const preview = page.getByRole('region', { name: 'Rows and answers' })
    await preview.getByRole('cell', { name: examples[0]?.badge ?? '', exact: true }).waitFor()
    expect(await preview.locator('td.blank').count()).to.equal(3)
    await press('button', 'Fill the empty answers')
    await page.getByRole('heading', { name: '3 answers are filled' }).waitFor({ timeout: 240_000 })
    await press('link', 'Use it on your whole file')
    await settled(page)
    expect(await page.evaluate('scrollY')).to.be.above(0)
    await choose('File', 'people.xlsx', await workbook([{ name: 'People', rows: whole }]))
    await press('button', 'Start the run')
    await expectAnswers(page, async () => await press('link', 'Download all answers'))
    expectQuick('a workbook on a phone')
    expectSilent(opened)
    await opened.close()
  })

  itInBrowser('says what to do about rows without a rule, and keeps what was typed through sign-in', async () => {
    const tenant = await site.givenTenant()
    const opened = await site.open()
    const { page } = opened
    await shown(page, FRONT)
    // Its first rows are read by the service.
    await page.getByText('Change how the rows are read').waitFor()
    await lookAtPage(page, 'front')
    expect(opened.requests.filter((url) => /\/v1\/(account|whoami)/.test(url))).to.deep.equal([])
    await page.getByLabel('Your rows').fill('a,b\n1,2,3\n')
    await page.locator('.example .notice').first().waitFor()
    const ruleless = 'word,answer\nred,zebra\nblue,0.1\ngreen,!!\npink,ada 77\ngrey,\n'
    await page.getByLabel('Your rows').fill(ruleless)
    await page.getByText('4 rows have an answer and are learned from; 1 has none').waitFor()
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await shown(page, 'Sign in')
    await page.getByRole('link', { name: 'svc' }).click()
    await page.getByText('4 rows have an answer and are learned from; 1 has none').waitFor()
    await page.getByRole('button', { name: 'Fill the empty answers' }).click()
    await page.getByRole('heading', { name: 'Nothing is signed' }).waitFor({ timeout: 240_000 })
    await lookAround(page, 'front-gated')
    await page.getByRole('link', { name: 'See the rows and what would help' }).click()
    await shown(page, 'Job')
    await settled(page)
    const jobId = /cmp_\w+/.exec(page.url())?.[0]
    await page.goto(`${site.api.url}/#/again/${jobId}`)
    await page
      .getByLabel(/^Answer of /)
      .first()
      .fill('crimson lion')
    await page.getByLabel('Task').fill('Name the animal of a colour')
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await shown(page, 'Jobs')
    await page.goto(`${site.api.url}/#/again/${jobId}`)
    await page.reload()
    await page.getByText('Rows: 1 changed.').waitFor()
    expect(
      await page
        .getByLabel(/^Answer of /)
        .first()
        .inputValue(),
    ).to.equal('crimson lion')
    expect(await page.getByLabel('Task').inputValue()).to.equal('Name the animal of a colour')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign out and leave it' }).click()
    await shown(page, 'Sign in')
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.to.match(/zebra|crimson/)

    // What is typed before signing in is in the form afterwards, and what is typed there outlives the session.
    await page.getByRole('link', { name: 'svc' }).click()
    await page.getByLabel('Your rows').fill(ruleless)
    await page.goto(`${site.api.url}/#/compile`)
    const signIn = async () => {
      await page.getByLabel('API key').fill(tenant.key)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await signIn()
    await shown(page, 'New compile')
    expect(await page.getByLabel('Examples').inputValue()).to.equal(ruleless)
    await page.getByLabel('Role of word').selectOption('output')
    await page.getByLabel('Task').fill('Name the animal')
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Settings' }).click()
    await shown(page, 'Sign in')
    await page.goto(`${site.api.url}/#/compile`)
    await page.reload()
    await signIn()
    await shown(page, 'New compile')
    expect(await page.getByLabel('Task').inputValue()).to.equal('Name the animal')
    await page.getByLabel('Role of word').waitFor()
    expect(await page.getByLabel('Role of word').inputValue()).to.equal('output')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await shown(page, 'Sign in')
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.to.contain('animal')
    expectUntroubled(opened)
    await opened.close()
  })
})
