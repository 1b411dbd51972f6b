import { mkdtempSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { EvalRow } from '../../../../core/compile/archive/evals.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { UPPER_PROGRAM } from '../../../support/archives/archives.ts'
import { givenVersion } from '../../../support/archives/signed-artifacts.ts'
import { TINY_TRAINING, tinyRecipe, writeTinyBase } from '../../../support/archives/tiny-bases.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

/** A program that answers the input as it is. */
const SAME_PROGRAM: JsonObject = { language: 'svc-recipe-1', body: { op: 'input' } }
/** The same without spaces around it. */
const TRIM_PROGRAM: JsonObject = { language: 'svc-recipe-1', body: { op: 'trim', text: { op: 'input' } } }
const ROWS = 120
/** Rows whose inputs have small letters; the others are in capitals already. */
const SMALL = 8

function evaluated(answer: (input: string) => string, prefix: string): readonly EvalRow[] {
  return Array.from({ length: ROWS }, (_, i): EvalRow => {
    const input = i < SMALL ? `name ${i}` : `NAME ${i}`
    const [expected, output] = [input.toUpperCase(), answer(input)]
    return { id: `${prefix}_${i}`, input, expected, output, abstained: false, correct: output === expected }
  })
}

describe('POST /v1/artifact/diff', () => {
  const database = useDatabase()
  const bases = mkdtempSync(join(tmpdir(), 'svc-diff-bases-'))
  const settings = { baseFolders: [bases] }
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), settings })
  const hasty = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), settings, limits: { diff_run_s: 0.001 } })
  let tenant: ApiTenant
  let op: Operation
  let upper: { readonly id: string; readonly cid: string }
  let same: { readonly id: string; readonly cid: string }
  before(async () => {
    tenant = await givenApiTenant(api)
    op = setUpOperation(database.db, tenant.id)
    upper = await given(UPPER_PROGRAM, (input) => input.toUpperCase(), 'a')
    same = await given(SAME_PROGRAM, (input) => input, 'b')
  })

  after(async () => await rm(bases, { recursive: true }))

  async function given(recipe: JsonObject, answer: (input: string) => string, prefix: string) {
    const { jobId } = await givenVersion(op, {
      recipe: { kind: 'program', recipe },
      training: null,
      signer: api.server.services.signingKeys.current,
      rows: evaluated(answer, prefix),
    })
    // The results of its rows are read out of its archive.
    await sendSql(database.db, 'delete from row_results where artifact_id = $1', [jobId])
    const [row] = await sendSql<{ cid: string }>(
      database.db,
      `update artifacts set cid = manifest ->> 'cid' where id = $1 returning cid`,
      [jobId],
    )
    return { id: jobId, cid: row?.cid ?? '' }
  }
  const diff = async (body: object, key = tenant.key) => await api.call('POST', '/v1/artifact/diff', { key, body })

  it('pairs the rows that both were scored on, and recommends by their test', async () => {
    const { body, text } = await diff({ a_cid: upper.cid, b_cid: same.cid })
    expect(body, text).to.include({ ok: true, lineage_relation: 'unrelated', recommendation: 'roll_back' })
    const { p_value: p, ...paired } = body.performance.paired
    expect(p).to.be.closeTo(2 ** -(SMALL - 1), 1e-9)
    expect(paired).to.deep.equal({
      test: 'mcnemar_exact',
      alpha: 0.05,
      rows: ROWS,
      rows_a: ROWS,
      rows_b: ROWS,
      both_right: ROWS - SMALL,
      both_wrong: 0,
      lost: SMALL,
      won: 0,
    })
    const [accuracy] = body.performance.axes
    expect(accuracy).to.include({ axis: 'accuracy', direction: 'higher', a: 1, b: 1 - SMALL / ROWS, change: 'worse' })
    expect(body.performance.regression_summary).to.include('accuracy')
    expect(body.roll_back_hint).to.include(upper.id)
    expect(body.flipped).to.have.length(SMALL)
    expect(body.flipped[0]).to.deep.include({ flip: 'lost', input: 'name 0', expected: 'NAME 0' })
    expect(body.flipped[0].b).to.include({ row_id: 'b_0', result: 'wrong', got: 'name 0' })
    const back = await diff({ a_cid: same.cid, b_cid: upper.cid })
    expect(back.body).to.include({ recommendation: 'promote', roll_back_hint: null })
  })

  it('puts members and programs side by side', async () => {
    const { body } = await diff({ a_cid: upper.cid, b_cid: same.cid })
    const memberOf = (name: string) => body.members.find((member: { name: string }) => member.name === name)
    expect(memberOf('capability.json').same).to.equal(true)
    expect(memberOf('recipes.json').same).to.equal(false)
    expect(body.recipes.programs).to.deep.equal([{ name: 'answer', a: 'upper(input)', b: 'input', same: false }])
    expect(body.recipes.same).to.equal(false)
    const equal = await diff({ a_cid: same.cid, b_cid: same.cid })
    expect(equal.body).to.include({ lineage_relation: 'same', recommendation: 'inconclusive' })
    expect(equal.body.recipes.same).to.equal(true)
    expect(equal.body.members.every((member: { same: boolean }) => member.same)).to.equal(true)
  })

  it('runs both on the stored inputs, and lists those that they answer differently', async () => {
    const { body } = await diff({ a_cid: upper.cid, b_cid: same.cid })
    expect(body.runs).to.include({ why: null, inputs: ROWS, ran: ROWS, differing: SMALL })
    expect(body.runs.rows[0]).to.deep.equal({
      row_a: 'a_0',
      row_b: 'b_0',
      input: 'name 0',
      expected: 'NAME 0',
      a: { output: 'NAME 0', abstained: false, confidence: null, error: null, right: true },
      b: { output: 'name 0', abstained: false, confidence: null, error: null, right: false },
    })
  })

  it('runs adapters on the stored inputs until their time is over', async () => {
    const signer = api.server.services.signingKeys.current
    const base = await writeTinyBase(bases, 'tiny')
    const { jobId: id } = await givenVersion(op, { recipe: tinyRecipe(base, 1), training: TINY_TRAINING, signer })
    const [row] = await sendSql<{ cid: string }>(
      database.db,
      `update artifacts set cid = manifest ->> 'cid' where id = $1 returning cid`,
      [id],
    )
    const body = { a_cid: row?.cid, b_cid: upper.cid }
    const whole = await api.call('POST', '/v1/artifact/diff', { key: tenant.key, body })
    expect(whole.body.runs, whole.text).to.include({ why: null, inputs: ROWS, ran: 50 })
    const cut = await hasty.call('POST', '/v1/artifact/diff', { key: tenant.key, body })
    expect(cut.body.runs, cut.text).to.include({ why: null, inputs: ROWS })
    expect(cut.body.runs.ran).to.be.lessThan(50)
  })

  it('refuses malformed CIDs, and does not know those of other accounts', async () => {
    const stranger = await givenApiTenant(api)
    for (const body of [{}, { a_cid: upper.cid }, { a_cid: 'cid', b_cid: same.cid }]) {
      const { status, body: refused } = await diff(body)
      expect([status, refused.code]).to.deep.equal([400, 'invalid_cid'])
    }
    const foreign = await diff({ a_cid: upper.cid, b_cid: same.cid }, stranger.key)
    expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'not_found'])
    const unknown = await diff({ a_cid: upper.cid, b_cid: `cidv1:sha256:${'0'.repeat(64)}` })
    expect(unknown.body.details.fields[0].field).to.equal('b_cid')
  })

  it('is svc artifacts diff', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-diff-'))
    try {
      const options = { profileDir: folder, folder, env: { SVC_URL: api.url, SVC_API_KEY: tenant.key } }
      const { code, stdout, stderr } = await runCli(['artifacts', 'diff', upper.cid, same.cid], options)
      expect(code, stderr).to.equal(0)
      expect(stdout).to.match(/recommended +roll back/)
      expect(stdout).to.include(`the second lost ${SMALL} and won 0 (p = 0.0078)`)
      expect(stdout).to.match(/- answer: upper\(input\)\n\+ answer: input/)
      expect(stdout).to.match(/lost +b_0 +name 0 +NAME 0/)
      expect(stdout).to.include(`on ${ROWS} of ${ROWS} stored inputs, ${SMALL} answers differ`)
      const traced = await runCli(['artifacts', 'lineage', upper.cid, '--json'], options)
      expect(JSON.parse(traced.stdout).chain[0].artifact_id, traced.stderr).to.equal(upper.id)
      const graph = await runCli(['artifacts', 'graph', '--changed', upper.id], options)
      expect(graph.stdout, graph.stderr).to.match(new RegExp(`artifact +${upper.id}.*changed`))
      expect(graph.stdout).to.include('no artifact rests on it')
      const dot = await runCli(['artifacts', 'graph', upper.id, '--dot'], options)
      expect(dot.stdout)
        .to.match(/^digraph artifacts \{\n/)
        .and.include(`"${upper.id}" -> `)
      const unknown = await runCli(['artifacts', 'graph', '--changed', 'dataset:none'], options)
      expect([unknown.code, unknown.stderr]).to.satisfy(
        ([exit, text]: [number, string]) => exit !== 0 && /changed\.0/.test(text),
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('neither opens nor runs a revoked artifact, and still compares its scored rows', async () => {
    const revoked = await given(TRIM_PROGRAM, (input) => input, 'c')
    const moved = await api.call('POST', `/v1/artifacts/${revoked.id}/lifecycle/transition`, {
      key: tenant.key,
      body: { to_state: 'revoked', reason: 'the key leaked' },
    })
    expect(moved.status, moved.text).to.equal(200)
    const { body, text } = await diff({ a_cid: upper.cid, b_cid: revoked.cid })
    expect(body, text).to.include({ recommendation: 'roll_back', recipes: null })
    expect(body.runs).to.deep.equal({ why: 'artifact_revoked', inputs: 0, ran: 0, differing: 0, rows: [] })
  })
})
