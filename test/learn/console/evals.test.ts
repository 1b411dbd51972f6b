import { expect } from 'chai'
import { givenEvaluation } from '../../support/db/given-evaluation.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { UPPER_PROGRAM } from '../../support/archives/archives.ts'
import { givenProgramVersion, givenVersion } from '../../support/archives/signed-artifacts.ts'
import { capitals, SAME_PROGRAM } from '../workflows/gate-rows.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { lookAtPage } from '../../support/pages/look-around.ts'
import { expectSilent, itInBrowser, settled, useConsole } from '../../console/use-console.ts'

describe('evaluations in the console', function () {
  this.timeout(300_000)
  const site = useConsole()

  itInBrowser('shows figures, rows with expected against got, and a comparison', async () => {
    const tenant = await site.givenTenant()
    const { db } = site.service.database
    const owner = { tenantId: tenant.id, name: 'test', requestId: 'test', now: () => new Date() }
    const op = systemOperation(db, owner)
    const { jobId } = await givenProgramVersion(op, site.service.deps.signer)
    const ids = [await givenEvaluation(op, jobId), await givenEvaluation(op, jobId)]
    for (const id of ids) {
      await site.service.deps.workflows.start(id)
      await eventually(async () => {
        const { body } = await site.api.call('GET', `/v1/evals/${id}`, { key: tenant.key })
        expect(body.state).to.equal('succeeded')
      })
    }
    const opened = await site.signIn(tenant, '/#/evals')
    const { page } = opened
    await page.getByRole('link', { name: 'given' }).first().waitFor()
    await lookAtPage(page, 'evals')
    await page.getByRole('link', { name: 'given' }).first().click()
    await page.getByRole('heading', { name: 'Rows', exact: true }).waitFor()
    await settled(page)
    expect(await page.getByRole('table', { name: 'Figures' }).innerText()).to.contain('exact_match')
    expect(await page.getByRole('table', { name: 'Rows of the evaluation' }).innerText()).to.contain('ADA')
    await page.getByLabel('Compare with').selectOption({ index: 1 })
    await page.getByRole('table', { name: 'Differences with their intervals' }).waitFor()
    await page.getByText('No row flipped.').waitFor()
    await lookAtPage(page, 'evaluation')
    expectSilent(opened)
  })

  itInBrowser(
    'shows metrics of generated texts with their direction, scores of rows, and both in a comparison',
    async () => {
      const tenant = await site.givenTenant()
      const owner = { tenantId: tenant.id, name: 'test', requestId: 'test', now: () => new Date() }
      const op = systemOperation(site.service.database.db, owner)
      const { jobId } = await givenProgramVersion(op, site.service.deps.signer)
      for (const name of ['first', 'second']) {
        const started = await site.api.call('POST', '/v1/evals', {
          key: tenant.key,
          body: {
            name,
            target: { artifact_id: jobId },
            task: 'task: names\ntest_split: test\ndoc_to_text: input\ndoc_to_target: output\nmetric_list: [{metric: chrf}, {metric: ter}]\n',
            data: { test: ['ada', 'grace hopper'].map((input) => ({ input, output: 'GRACE HOPPER' })) },
          },
        })
        expect(started.status, started.text).to.equal(202)
        await eventually(async () => {
          const { body } = await site.api.call('GET', started.body.poll, { key: tenant.key })
          expect(body.state).to.equal('succeeded')
        })
      }
      const opened = await site.signIn(tenant, '/#/evals')
      const { page } = opened
      await page.getByRole('link', { name: 'second' }).click()
      await page.getByRole('heading', { name: 'Rows', exact: true }).waitFor()
      await settled(page)
      const figures = await page.getByRole('table', { name: 'Figures' }).innerText()
      expect(figures).to.contain('less is better').and.contain('bootstrap')
      const rows = page.getByRole('table', { name: 'Rows of the evaluation' })
      expect(await rows.innerText()).to.contain('chrf 100.000, ter 0.000')
      await page.getByLabel('Compare with').selectOption({ index: 1 })
      const metrics = page.getByRole('table', { name: 'Metrics of both, with the interval of their difference' })
      await metrics.waitFor()
      expect(await metrics.innerText()).to.contain('ter')
      expect(await page.getByText('Rows that flipped').count()).to.equal(0)
      await lookAtPage(page, 'evaluation-of-texts')
      expectSilent(opened)
    },
  )

  itInBrowser(
    'shows gates with the evidence as it grew to its bound, and holdouts with what is left of them',
    async () => {
      const tenant = await site.givenTenant()
      const { db } = site.service.database
      const owner = { tenantId: tenant.id, name: 'test', requestId: 'test', now: () => new Date() }
      const op = systemOperation(db, owner)
      const of = async (recipe: JsonObject) =>
        (await givenVersion(op, { recipe: { kind: 'program', recipe }, training: null })).jobId
      const sides = { candidate_artifact: await of(UPPER_PROGRAM), baseline_artifact: await of(SAME_PROGRAM) }
      const post = async (path: string, body: object) => {
        const answer = await site.api.call('POST', path, { key: tenant.key, body })
        expect(answer.status, answer.text).to.be.oneOf([201, 202])
        return answer.body
      }
      await post('/v1/eval/tenant_holdout', { corpus_id: 'tickets', rows: capitals(40, 1000) })
      for (const data of [{ rows: capitals(200) }, { corpus_id: 'tickets' }]) {
        const { poll } = await post('/v1/eval/gate', { ...sides, ...data })
        await eventually(async () => {
          expect((await site.api.call('GET', poll, { key: tenant.key })).body.state).to.equal('succeeded')
        })
      }
      const opened = await site.signIn(tenant, '/#/gates')
      const { page } = opened
      const gates = page.getByRole('table', { name: 'Gates, newest first' })
      await gates.getByRole('row', { name: /sealed holdout/ }).waitFor()
      await lookAtPage(page, 'gates')
      await gates
        .getByRole('row', { name: /one after another/ })
        .getByRole('link')
        .click()
      await page.locator('figcaption', { hasText: 'Evidence by row' }).waitFor()
      await settled(page)
      expect(await page.getByRole('img', { name: /it promotes at 20/ }).count()).to.equal(1)
      await lookAtPage(page, 'gate')
      await page.getByRole('link', { name: 'Holdouts' }).click()
      const holdouts = page.getByRole('table', { name: 'Holdouts, newest first' })
      await holdouts.waitFor()
      expect(await holdouts.innerText())
        .to.contain('tickets')
        .and.contain('1, 1 promoted')
      await lookAtPage(page, 'holdouts')
      expectSilent(opened)
    },
  )

  itInBrowser('shows a bake-off as cost against quality, with its contestants and pairs', async () => {
    const tenant = await site.givenTenant()
    const post = async (path: string, body: object) => {
      const answer = await site.api.call('POST', path, { key: tenant.key, body })
      expect(answer.status, answer.text).to.be.oneOf([200, 201, 202])
      return answer.body
    }
    const rows = ['red', 'green', 'blue', 'pink', 'grey', 'black'].flatMap((colour) =>
      ['fox', 'owl', 'cat', 'bear'].map((animal) => ({
        input: `${colour} ${animal}`,
        output: `${colour} ${animal}`.toUpperCase(),
      })),
    )
    const { dataset_id: id } = await post('/v1/datasets', { namespace: 'support', rows, train_ratio: 0.5 })
    const { poll } = await post('/v1/bakeoffs', { dataset_id: id, contestants: ['rule', 'cache', 'classifier'] })
    await eventually(async () => {
      const { body } = await site.api.call('GET', poll, { key: tenant.key })
      expect(body.state).to.equal('succeeded')
    })
    const opened = await site.signIn(tenant, '/#/bakeoffs')
    const { page } = opened
    await page.getByRole('link', { name: 'rule, cache, classifier' }).waitFor()
    await lookAtPage(page, 'bakeoffs')
    await page.getByRole('link', { name: 'rule, cache, classifier' }).click()
    await page.locator('figcaption', { hasText: 'Cost against quality' }).waitFor()
    await settled(page)
    const contestants = await page.getByRole('table', { name: 'Contestants', exact: true }).innerText()
    expect(contestants).to.contain('recommended').and.to.contain('wilson')
    expect(await page.getByRole('table', { name: 'Pairs, compared row by row' }).innerText()).to.contain(
      'cache less rule',
    )
    await lookAtPage(page, 'bakeoff')
    expectSilent(opened)
  })
})
