import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { RecipeSource } from '../../../../core/compile/archive/members/content.ts'
import { trainClassifier } from '../../../../core/model/classifier/train-classifier.ts'
import { systemOperation } from '../../../../db/kernel/operation.ts'
import { listAudit } from '../../../../db/ledger/audit/list-audit.ts'
import { type ApiTenant, givenApiTenant, NO_TEMPORAL, useApi } from '../../../support/api.ts'
import { givenAdapterArtifact, givenVersion } from '../../../support/archives/signed-artifacts.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { deskRows } from '../../core/rows/given-rows.ts'

const GOLDEN = fileURLToPath(new URL('../../../model/golden/qwen3', import.meta.url))

function program(body: Record<string, unknown>): RecipeSource {
  const recipe = JSON.parse(JSON.stringify({ language: 'svc-recipe-1', body }))
  return { kind: 'program', recipe }
}

describe('the code of an artifact over HTTP', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant

  before(async () => {
    tenant = await givenApiTenant(api)
  })

  const operation = () => systemOperation(database.db, { tenantId: tenant.id, name: 'test', requestId: 'test' })
  const given = async (recipe: RecipeSource) =>
    (await givenVersion(operation(), { recipe, training: null, task: 'Write in capitals' })).jobId
  const codeOf = async (id: string, language: string, key = tenant.key) =>
    await api.call('GET', `/v1/artifacts/${id}/code?language=${language}`, { key })

  it('is one function in each language, and writes the download into the ledger', async () => {
    const id = await given(program({ op: 'upper', text: { op: 'input' } }))
    const written = await Promise.all(
      ['python', 'typescript', 'sql'].map(async (language) => await codeOf(id, language)),
    )
    expect(written.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    const files = written.flatMap(({ body }) => body.files)
    expect(files.map(({ name }) => name)).to.deep.equal(['recipe.py', 'recipe.ts', 'recipe.sql'])
    expect(files[0].content)
      .to.include('def write_in_capitals(text: str) -> str:')
      .and.include('>>> write_in_capitals(')
    expect(files[1].content).to.include('export function writeInCapitals(text: string): string {')
    expect(files[2].content).to.include('CREATE FUNCTION write_in_capitals(input_value text) RETURNS text')
    const { items } = await listAudit(operation(), { limit: 10 })
    expect(items.filter(({ action }) => action === 'artifact.downloaded')).to.have.length(3)
  })

  it('comes with the weights of a classifier', async () => {
    const trained = trainClassifier(deskRows(), { contenders: 1 })
    if (trained === null) throw new Error('not trained')
    const recipe = JSON.parse(JSON.stringify(trained.recipe))
    const id = await given({ kind: 'classifier', recipe, weights: trained.weights })
    const { body } = await codeOf(id, 'python')
    expect(body.files[0].content).to.include('LABELS = ["garage", "garden", "kitchen", "office"]')
    expect(body.files[1]).to.include({ name: 'weights.bin', encoding: 'base64' })
    expect(Buffer.from(body.files[1].content, 'base64').equals(trained.weights)).to.equal(true)
    const sql = await codeOf(id, 'sql')
    expect(sql.status).to.equal(422)
    expect(sql.body).to.deep.include({
      code: 'code_not_available',
      error: 'a classifier cannot be written as SQL: ask for Python or TypeScript, or run the artifact',
      details: { language: 'sql', recipe_kind: 'classifier' },
    })
  })

  it('names what cannot be said, and is kept from other tenants', async () => {
    const id = await given(program({ op: 'title', text: { op: 'input' } }))
    const { status, body } = await codeOf(id, 'sql')
    expect(status).to.equal(422)
    expect(body).to.deep.include({ code: 'code_not_available', details: { language: 'sql', operator: 'title' } })
    expect(body.error).to.equal('the operator title cannot be written in SQL: Postgres has no such rule for texts')
    const adapter = await codeOf(await givenAdapterArtifact(operation(), GOLDEN, 'tiny'), 'python')
    expect(adapter.body).to.deep.include({ details: { language: 'python', recipe_kind: 'lora' } })
    expect((await codeOf(id, 'perl')).status).to.equal(400)
    expect((await codeOf(id, 'python', (await givenApiTenant(api)).key)).status).to.equal(404)
  })

  it('stands beside the recipe in words, with the form of its inputs and a row', async () => {
    const recipeOf = async (id: string, key = tenant.key) =>
      await api.call('GET', `/v1/artifacts/${id}/recipe`, { key })
    const id = await given(program({ op: 'upper', text: { op: 'input' } }))
    const { body, status } = await recipeOf(id)
    expect(status).to.equal(200)
    expect(body.expression).to.equal('upper(input)')
    const refusals = async (artifactId: string) => {
      const { code } = (await recipeOf(artifactId)).body
      return code.map(({ language, why_not: why }: { language: string; why_not: string | null }) => [language, why])
    }
    const all = ['python', 'typescript', 'sql']
    expect(await refusals(id)).to.deep.equal(all.map((language) => [language, null]))
    // What the recipe says of a language is what the language answers.
    const title = await given(program({ op: 'title', text: { op: 'input' } }))
    for (const [language, why] of await refusals(title)) {
      expect((await codeOf(title, language)).body.error ?? null, language).to.equal(why)
    }
    expect(body.input.kinds).to.deep.equal(['text'])
    expect(body.example.input).to.be.a('string')
    const adapter = await recipeOf(await givenAdapterArtifact(operation(), GOLDEN, 'tiny'))
    expect(adapter.body.code[2].why_not).to.equal('an adapter cannot be written as SQL: run the artifact, or export it')
    expect(adapter.body.lines[0].text).to.match(/^writes .* with the base model tiny of [\d,]+ parameters/)
    const artifact = await api.call('GET', `/v1/artifacts/${id}`, { key: tenant.key })
    expect(artifact.body.in_words.kind).to.match(/^A program: /)
    expect((await recipeOf(id, (await givenApiTenant(api)).key)).status).to.equal(404)
  })
})
