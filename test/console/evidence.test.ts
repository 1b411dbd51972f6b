import { expect } from 'chai'
import type { Route } from 'playwright-core'
import type { ApiTenant } from '../support/api.ts'
import { LOCAL_MODEL, startLocalUpstream, type LocalUpstream } from '../../quickstart/gateway/local-upstream.ts'
import { lookAround } from '../support/pages/look-around.ts'
import { nameExamples } from '../support/workflows/service.ts'
import { eventually } from '../support/wire/eventually.ts'
import { expectUntroubled, itInBrowser, settled, shown, useConsole } from './use-console.ts'

const LEAVES = ['/invoice/total', '/invoice/lines/0/price', '/ticket'].map((path, i) => ({
  path,
  part: i === 2 ? 'present' : 'value',
  kind: i === 0 ? 'program' : 'label',
  n: 96 - i,
  accuracy: 1 - i / 10,
  interval: { low: 0.9 - i / 10, high: 1 },
}))
const CERTIFICATE = {
  status: 'certified',
  basis: 'cross_fit',
  n: 100,
  max_error: 0.1,
  confidence: 0.9,
  threshold: 0.6,
  wrong: 4,
  answered: 80,
  statement: 'With confidence 90 %, at most 10 % of the given answers are wrong.',
  curve: [
    { threshold: 0.9, answered: 40, wrong: 0 },
    { threshold: 0.6, answered: 80, wrong: 4 },
    { threshold: 0.31234567, answered: 100, wrong: 18 },
  ],
}

describe('evidence in the console', function () {
  this.timeout(300_000)
  let upstream: LocalUpstream
  before(async () => {
    upstream = await startLocalUpstream()
  })
  after(async () => await upstream.close())
  const site = useConsole({ settings: () => ({ upstreams: { 'local-svc': { baseUrl: upstream.baseUrl } } }) })
  let tenant: ApiTenant
  before(async () => {
    tenant = await site.givenTenant()
  })
  const compile = async (body: object): Promise<string> => {
    const answer = await site.api.call('POST', '/v1/compile', { key: tenant.key, body })
    expect(answer.status, answer.text).to.be.oneOf([200, 202])
    return answer.body.job_id ?? answer.body.id
  }
  const changed = (change: object) => async (route: Route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), ...change } })
  }

  itInBrowser('asks for the output of an input, and takes one click, another answer or a skip', async () => {
    const id = await compile({
      task: 'Write the family name',
      examples: ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'].map((input) => ({
        input,
        output: input.split(' ')[1],
      })),
      unlabelled_inputs: ['Donald Ervin Knuth', 'Barbara Liskov', 'Edsger Wybe Dijkstra'],
      k_score_floor: 0,
      questions: { max: 2, wait: 600 },
    })
    const opened = await site.signIn(tenant, `/#/job/${id}`)
    const { page } = opened
    const card = page.locator('.question[data-state=open]')
    await card.getByText('The candidates give different outputs.').waitFor()
    await lookAround(page, 'question')
    // Reached and answered by the keyboard alone.
    await card.getByLabel('Another answer').focus()
    await page.keyboard.type('Knuth')
    await page.keyboard.press('Enter')
    await page.locator('.question[data-question="1"][data-state=answered]').waitFor()
    await page.locator('.facts [data-status=ready], .question[data-state=open]').first().waitFor()
    if ((await card.count()) > 0) await card.getByRole('button', { name: 'Skip' }).click()
    await page.locator('.facts [data-status=ready]').waitFor({ timeout: 240_000 })
    await page.getByText('Answered: "Knuth"').waitFor()
    await lookAround(page, 'question-answered')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('shows leaves, the basis of each figure, and the risk-coverage curve with a slider', async () => {
    const id = await compile({ task: 'Family name first', examples: nameExamples(), k_score_floor: 0.5 })
    const opened = await site.signIn(tenant)
    const { page } = opened
    await page.route('**/v1/artifacts/*', changed({ leaves: LEAVES, certificate: CERTIFICATE }))
    await page.goto(`${site.api.url}/#/artifact/${id}`)
    await settled(page)
    await page.getByText('not measured', { exact: true }).waitFor()
    await page.locator('.chart canvas').waitFor()
    const leaves = page.getByRole('table', { name: 'Leaves of the recipe' })
    const firstLeaf = async () => await leaves.getByRole('cell').first().textContent()
    expect(await firstLeaf()).to.contain('total')
    await leaves.getByRole('button', { name: 'Rows' }).click()
    expect(await firstLeaf()).to.contain('ticket')
    expect(await leaves.getByRole('columnheader', { name: 'Rows' }).getAttribute('aria-sort')).to.equal('ascending')
    const words = page.locator('.risk-curve .words')
    expect(await words.textContent()).to.contain('80% of the rows get an answer, 4 of 80 wrong')
    const slider = page.getByRole('slider', { name: 'Threshold of confidence' })
    await slider.focus()
    await page.keyboard.press('ArrowRight')
    expect(await words.textContent()).to.contain(
      'From a confidence of 0.312 on: 100% of the rows get an answer, 18 of 100',
    )
    await page.getByRole('figure', { name: 'Share of wrong answers' }).getByText('The same as a table').click()
    await page.getByRole('cell', { name: '18%' }).waitFor()
    await lookAround(page, 'artifact-evidence')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser('shows step, loss and time left of a fit', async () => {
    const id = await compile({ task: 'Fitted', examples: nameExamples(), k_score_floor: 0.5 })
    const opened = await site.signIn(tenant)
    const { page } = opened
    const event = (kind: string, seq: number, data: object): string =>
      `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify({ seq, ...data })}\n\n`
    const steps = [
      { id: 'lora-fit', label: 'Fitting an adapter', status: 'pending' },
      { id: 'sign', label: 'Signing', status: 'pending' },
    ]
    const metric = (step: number, loss: number) =>
      event('metric', step, {
        step: 'lora-fit',
        training_step: step,
        training_steps: 40,
        epoch: 1,
        loss,
        validation_loss: loss + 0.2,
        tokens_per_second: 350,
        eta_seconds: 200,
      })
    const body = [
      event('hello', 0, { steps }),
      event('step.start', 1, { step: 'lora-fit', status: 'running' }),
      ...[2, 8, 14, 20].map((step) => metric(step, 3 / step)),
    ].join('')
    await page.route('**/v1/compile/stream/**', async (route) => {
      const isFirst = !route.request().url().includes('cursor=')
      if (isFirst) await route.fulfill({ contentType: 'text/event-stream', body })
      else await route.abort()
    })
    await page.goto(`${site.api.url}/#/job/${id}`)
    const row = page.locator('[data-stage=lora-fit]')
    await row.getByText('step 20 of 40 · loss 0.15 · validation loss 0.35').waitFor()
    await row.getByText('3 minutes left').waitFor()
    expect(await row.locator('progress').getAttribute('value')).to.equal('0.5')
    await page.locator('.chart canvas').waitFor()
    await lookAround(page, 'fit')
    await opened.close()
  })

  itInBrowser('reviews captured calls by keys, verifies their chain, and compiles them', async () => {
    const { key } = await site.givenTenant()
    const opened = await site.signIn({ ...tenant, key }, '/#/gateway')
    const { page } = opened
    await page.getByText(`base_url="${site.api.url}/v1"`).waitFor()
    const captures = async () => (await site.api.call('GET', '/v1/captures/list', { key })).body.captures
    for (const content of ['Where is my parcel?', 'I lost my password', 'A refund, please']) {
      const body = { model: `local-svc:${LOCAL_MODEL}`, messages: [{ role: 'user', content }] }
      const headers = { 'x-svc-namespace': 'support' }
      const { status, text } = await site.api.call('POST', '/v1/chat/completions', { key, body, headers })
      expect(status, text).to.equal(200)
    }
    await eventually(async () => expect(await captures()).to.have.length(3))
    await page.reload()
    await settled(page)
    await page.getByRole('article', { name: 'A refund, please' }).focus()
    await page.keyboard.press('a')
    await page.locator('.capture[data-status=approved]', { hasText: 'A refund' }).waitFor()
    // The next one has the focus.
    await page.locator('.capture:focus', { hasText: 'password' }).waitFor()
    await page.keyboard.press('f')
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('The right output').inputValue()).to.equal('login')
    await dialog.getByLabel('The right output').fill('account')
    await dialog.getByRole('button', { name: 'Save and approve' }).click()
    await page.getByText('output fixed').waitFor()
    await page.locator('.capture:focus', { hasText: 'parcel' }).waitFor()
    await page.keyboard.press('k')
    await page.locator('.capture:focus', { hasText: 'password' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    await page.locator('.capture[data-status=rejected]').waitFor()
    const reviewed = (await captures()).map((each: { status: string; is_fixed: boolean }) => [
      each.status,
      each.is_fixed,
    ])
    expect(reviewed).to.deep.equal([
      ['approved', false],
      ['approved', true],
      ['rejected', false],
    ])
    await page.getByRole('button', { name: 'Verify the chain of support' }).click()
    await page.locator('.chain .badge', { hasText: 'valid: 3 rows' }).waitFor()
    await lookAround(page, 'gateway')
    await page.getByRole('button', { name: 'Compile these' }).click()
    await dialog.getByText('2 captures are approved.').waitFor()
    await dialog.getByLabel('The task in words').fill('Say what a ticket is about')
    await dialog.getByRole('button', { name: 'Compile', exact: true }).click()
    await shown(page, 'Job')
    expectUntroubled(opened)
    await opened.close()
  })

  itInBrowser(
    'shows and moves the life of an artifact, draws its dependencies, and compares two versions',
    async () => {
      const task = 'Write the name in capitals'
      const examples = nameExamples().map(({ input }) => ({ input, output: input.toUpperCase() }))
      const first = await compile({ task, examples, k_score_floor: 0, mode: 'sync' })
      const { body: artifact } = await site.api.call('GET', `/v1/artifacts/${first}`, { key: tenant.key })
      const changedRows = examples.map(({ input, output }, i) => ({ input, output: i < 12 ? `${output}!` : output }))
      const second = await compile({
        task,
        examples: changedRows,
        concept_id: artifact.concept_id,
        k_score_floor: 0,
        mode: 'sync',
      })
      const opened = await site.signIn(tenant, `/#/artifact/${second}`)
      const { page } = opened
      const life = page.getByRole('region', { name: 'Life' })
      await life.getByRole('button', { name: 'Move to deployed' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason (optional)').fill('first rollout')
      await dialog.getByRole('button', { name: 'Move to deployed' }).click()
      await life.getByRole('cell', { name: 'first rollout' }).waitFor()
      await life.getByRole('button', { name: 'Revoke' }).click()
      await dialog.getByText('This is final.').waitFor()
      await lookAround(page, 'revoke')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      // The drawing is reached and used by keys alone.
      const drawn = page.getByRole('group', { name: /^Dependencies of this artifact/ })
      const older = drawn.getByRole('button', { name: /^artifact: .*0\.1\.0/ })
      await older.focus()
      await page.keyboard.press('Enter')
      expect(await older.getAttribute('aria-pressed')).to.equal('true')
      await page.getByText('1 artifact rests on it.').waitFor()
      await page.getByRole('button', { name: 'All evidence' }).click()
      await drawn
        .getByRole('button', { name: /^signature: / })
        .first()
        .waitFor()
      await page.getByText('The same as a table').last().click()
      await page.getByRole('table', { name: 'Dependencies of this artifact' }).waitFor()
      await lookAround(page, 'lineage')
      await page.getByRole('link', { name: 'Compare with version 1' }).click()
      await shown(page, 'Compare artifacts')
      await page.getByText(/the second lost \d+ and won \d+/).waitFor()
      await page.getByRole('heading', { name: 'Inputs that they answer differently' }).waitFor()
      await lookAround(page, 'diff')
      await page.getByRole('link', { name: 'Compare the other way round' }).click()
      await page.getByText('The first is built on the second.').waitFor()
      expectUntroubled(opened)
      await opened.close()
    },
  )
})
