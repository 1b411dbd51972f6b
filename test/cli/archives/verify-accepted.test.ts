import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey } from '../../support/archives/archives.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { runCli } from '../../support/cli/run-cli.ts'

describe('svc verify of an archive that was accepted below its floor', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-test-'))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })
  const svc = async (args: readonly string[]) => await runCli(args, { folder, profileDir: join(folder, 'no-profile') })

  it('says who accepted it and when, and recomputes it from its rows', async () => {
    const own = join(folder, 'own.json')
    await writeFile(own, JSON.stringify({ keys: [toJwk(fixedSigningKey().publicKey)] }))
    const rows = ['ada', 'grace', 'alan', 'barbara', 'tony'].map((input, i) => ({
      id: `row_${i + 1}`,
      input,
      output: input === 'tony' ? 'another answer' : input.toUpperCase(),
    }))
    const acceptedAt = '2026-01-02T03:04:30.000Z'
    const choices = { floor: 0.99, workBudget: 20_000, rowsForm: 'digests', acceptedAt } as const
    const { archive } = await compileArchive(rows, choices)
    await writeFile(join(folder, 'accepted.svc'), archive)
    await writeFile(join(folder, 'rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const args = ['verify', 'accepted.svc', '--jwks', own, '--recompute', '--rows', 'rows.jsonl']
    const [text, json] = await Promise.all([svc(args), svc(['--json', ...args])])
    expect(text.code, text.stdout).to.equal(0)
    expect(text.stdout)
      .to.match(/accepted below its floor: K 0\.\d+, floor 0\.99, by key:key_1, .*; not ready for production/)
      .and.include('who accepted it below its floor, and when')
    expect(JSON.parse(json.stdout)).to.deep.include({ ok: true, k_score_floor: 0.99 })
    expect(JSON.parse(json.stdout).accepted).to.include({ by: 'key:key_1', at: acceptedAt, k_score_floor: 0.99 })
  })
})
