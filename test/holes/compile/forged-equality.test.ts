import { expect } from 'chai'
import { verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import type { Row } from '../../../core/compile/rows/task.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { rowsOf } from '../../compile/core/rows/given-rows.ts'
import { fixedSigningKey, sealFixture } from '../../support/archives/archives.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { documentOf, forge, openMembers, type Change, type Members } from '../../support/archives/forge.ts'

const PINNED = [toJwk(fixedSigningKey().publicKey)]

/** Rows that score; without any, all rows are scored in folds, and the archive shows what its equality came from. */
type Scoring = 'folds' | 'test rows'

function marked(rows: readonly Row[], scoring: Scoring): readonly Row[] {
  return rows.map((row, i) => (scoring === 'test rows' && i % 5 === 0 ? { ...row, kind: 'test' } : row))
}

async function compileNumbers(count: number, scoring: Scoring, numberOf: (i: number) => number): Promise<Members> {
  const given = rowsOf(Array.from({ length: count }, (_, i) => [{ n: numberOf(i), id: i }, numberOf(i)] as const))
  const rows = marked(given, scoring)
  return await openMembers((await compileArchive(rows, { workBudget: 400_000 })).archive)
}

async function compileTexts(count: number, textOf: (i: number) => string): Promise<Members> {
  const given = rowsOf(Array.from({ length: count }, (_, i) => [{ note: textOf(i), id: i }, textOf(i)] as const))
  const rows = marked(given, 'test rows')
  return await openMembers((await compileArchive(rows, { workBudget: 400_000 })).archive)
}

function rulesOf(members: Members): readonly JsonObject[] {
  const { equality = null } = documentOf(members, 'recipes.json')
  const rules: Json = isJsonObject(equality) ? (equality['rules'] ?? []) : []
  return Array.isArray(rules) ? rules.filter((rule: Json) => isJsonObject(rule)) : []
}

function withRules(rules: readonly JsonObject[]): Readonly<Record<string, Change>> {
  const change: Change = (document) => ({ ...document, equality: { spec: 'svc-equality-1', rules } })
  return { 'recipes.json': change }
}

/** The reason and detail of the refusal; null when the archive verifies. */
async function refusalOf(members: Members, changes: Readonly<Record<string, Change>>): Promise<string | null> {
  const archive = await forge(members, { changes, isThorough: true })
  const { ok, reason, detail } = await verifyByRecomputation(archive, { trustedKeys: PINNED })
  return ok ? null : `${reason}: ${detail}`
}

const NUMBER = { path: [], kind: 'number', relative: 1e-9, absolute: 1e-9 } as const
const TEXT = { path: [], kind: 'text', form: 'nfc' } as const

describe('a forged equality', () => {
  let tiny: Members
  let precise: Members
  let few: Members
  let texts: Members

  before(async () => {
    tiny = await compileNumbers(30, 'test rows', (i) => (i + 1) * 1.5e-15)
    precise = await compileNumbers(30, 'test rows', (i) => Number(`${1_700_000_000 + i * 86_401}.${125 + i}`))
    few = await compileNumbers(8, 'folds', (i) => i + 0.5)
    texts = await compileTexts(30, (i) => `caf\u00e9 ${i * 7}`)
  })

  it('is not what a compile writes: the genuine one verifies, and is stored with the recipe', async () => {
    for (const members of [tiny, precise, few, texts]) {
      expect(await refusalOf(members, {})).to.equal(null)
      expect(documentOf(members, 'evals.json')).to.include({ comparator: 'equality' })
    }
    expect(rulesOf(few)).to.deep.equal([NUMBER])
    expect(rulesOf(texts)).to.deep.equal([])
    expect(rulesOf(tiny)[0]?.['absolute']).to.be.lessThan(1e-20)
    expect(rulesOf(precise)[0]?.['relative']).to.equal(1e-14)
  })

  it('is refused where its absolute tolerance swallows the numbers of the rows', async () => {
    expect(await refusalOf(tiny, withRules([NUMBER]))).to.match(/^provenance_mismatch: .*looser than the rows allow/)
  })

  it('is refused where its relative tolerance swallows the decimals of the rows', async () => {
    expect(await refusalOf(precise, withRules([NUMBER]))).to.match(/looser than the rows allow/)
  })

  it('is refused where it calls texts equal in NFC that the rows tell apart', async () => {
    expect(await refusalOf(texts, withRules([TEXT]))).to.match(/^provenance_mismatch: the text rule at the output/)
  })

  it('is refused beyond the tolerances of the format, or malformed', async () => {
    for (const odd of [
      { ...NUMBER, relative: 0.5 },
      { ...NUMBER, absolute: 1 },
      { ...NUMBER, absolute: null },
      { ...NUMBER, absolute: -1e-9 },
      { ...NUMBER, path: [0] },
      { ...TEXT, form: 'casefold' },
    ]) {
      expect(await refusalOf(few, withRules([odd])), JSON.stringify(odd)).to.match(/recipes.json: /)
    }
    expect(await refusalOf(few, withRules([NUMBER, NUMBER]))).to.match(/recipes.json: /)
  })

  it('is refused at a path that the rows do not have, where all of them are shown', async () => {
    const nowhere = { ...NUMBER, path: ['total'] }
    expect(await refusalOf(few, withRules([nowhere, NUMBER]))).to.match(/not the one that the rows give/)
  })

  it('is refused where numbers would be compared exactly', async () => {
    expect(await refusalOf(tiny, withRules([]))).to.match(/not compared exactly/)
  })

  it('does not hide behind a comparator of early builds, nor the other way round', async () => {
    const early: Change = (document) => ({ ...document, comparator: 'number' })
    expect(await refusalOf(few, { 'evals.json': early })).to.match(/evals.json: .*comparator/s)
    const dropped: Change = ({ equality: _dropped, ...document }) => document
    expect(await refusalOf(few, { 'recipes.json': dropped })).to.match(/which has none/)
  })

  it('leaves archives of early builds as they are', async () => {
    const genuine = await openMembers((await sealFixture()).archive)
    expect(documentOf(genuine, 'recipes.json')).not.to.have.property('equality')
    expect(await refusalOf(genuine, {})).to.equal(null)
    expect(await refusalOf(genuine, withRules([]))).to.match(/recipes.json has an equality/)
  })
})
