import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { summarizeEvals } from '../../../core/compile/archive/evals.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { evalsOf, fixedSigningKey, sealFixture, upperRows } from '../../support/archives/archives.ts'
import { runCli } from '../../support/cli/run-cli.ts'

describe('svc with an archive', () => {
  let folder: string
  let file: string

  const svc = async (
    args: readonly string[],
    more: { stdin?: string; profileDir?: string; env?: NodeJS.ProcessEnv } = {},
  ) => await runCli(args, { folder, profileDir: join(folder, 'no-profile'), ...more })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-test-'))
    file = join(folder, 'upper.svc')
    await writeFile(file, (await sealFixture()).archive)
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('verifies against pinned keys: 0 for theirs, 3 for an unknown signer, 1 for others and for a changed archive', async () => {
    const own = join(folder, 'own.json')
    const other = join(folder, 'other.json')
    await writeFile(own, JSON.stringify({ keys: [toJwk(fixedSigningKey().publicKey)] }))
    await writeFile(other, JSON.stringify({ keys: [toJwk(fixedSigningKey(2).publicKey)] }))
    const changed = Buffer.from((await sealFixture()).archive)
    changed[200] = (changed[200] ?? 0) ^ 1
    await writeFile(join(folder, 'changed.svc'), changed)
    const profileDir = join(folder, 'profile')
    await mkdir(join(profileDir, 'svc'), { recursive: true })
    await writeFile(
      join(profileDir, 'svc', 'config.json'),
      JSON.stringify({ pinned_keys: [toJwk(fixedSigningKey().publicKey)] }),
    )

    const [pinned, named, unknown, foreign, broken] = await Promise.all([
      svc(['verify', file], { profileDir }),
      svc(['--json', 'verify', file, '--jwks', own]),
      svc(['verify', file]),
      svc(['verify', file, '--jwks', other]),
      svc(['--json', 'verify', 'changed.svc', '--jwks', own]),
    ])
    expect(pinned.code, pinned.stdout).to.equal(0)
    expect(pinned.stdout).to.include('is valid').and.include(fixedSigningKey().kid)
    expect(named.code, named.stdout).to.equal(0)
    expect(JSON.parse(named.stdout)).to.deep.include({ ok: true, trusted: 'trusted' })
    expect(unknown.code).to.equal(3)
    expect(unknown.stdout).to.include(fixedSigningKey().kid).and.include('unknown')
    expect(foreign.code).to.equal(1)
    expect(broken.code).to.equal(1)
    expect(JSON.parse(broken.stdout)).to.include({ ok: false })
  })

  it('ends verify --recompute with 7 when not everything could be recomputed, which is no success', async () => {
    const own = join(folder, 'own-keys.json')
    await writeFile(own, JSON.stringify({ keys: [toJwk(fixedSigningKey().publicKey)] }))
    const rows = upperRows(12)
    const leftOut = await sealFixture({
      input: { evals: summarizeEvals({ split: 'leave_one_out', comparator: 'exact', rows }) },
    })
    await writeFile(join(folder, 'left-out.svc'), leftOut.archive)
    const [plain, recomputed, json] = await Promise.all([
      svc(['verify', 'left-out.svc', '--jwks', own]),
      svc(['verify', 'left-out.svc', '--jwks', own, '--recompute']),
      svc(['--json', 'verify', 'left-out.svc', '--jwks', own, '--recompute']),
    ])
    expect(plain.code, plain.stdout).to.equal(0)
    expect(recomputed.code, recomputed.stdout).to.equal(7)
    expect(recomputed.stdout)
      .to.include('not everything was recomputed')
      .and.include('12 of 12')
      .and.include('attested only')
    const { ok, checks } = JSON.parse(json.stdout)
    expect(ok).to.equal(true)
    expect(checks.find(({ name }: { readonly name: string }) => name === 'recomputed_answers')).to.include({
      status: 'warn',
    })
  })

  it('runs an archive on one input, on lines, and refuses a damaged one', async () => {
    await writeFile(join(folder, 'cut.svc'), (await sealFixture()).archive.subarray(0, -7))
    const [one, piped, lines, json, damaged] = await Promise.all([
      svc(['run', file, 'straße']),
      svc(['run', file, '-'], { stdin: 'two words\n' }),
      svc(['run', file, '--lines'], { stdin: 'one\ntwo\n' }),
      svc(['run', file, '--json', '--text', '12'], {}),
      svc(['run', 'cut.svc', 'x']),
    ])
    expect(one).to.deep.include({ code: 0, stdout: 'STRASSE\n' })
    expect(piped).to.deep.include({ code: 0, stdout: 'TWO WORDS\n' })
    expect(lines).to.deep.include({ code: 0, stdout: 'ONE\nTWO\n' })
    expect(JSON.parse(json.stdout)).to.deep.include({ output: '12', abstained: false })
    expect(damaged.code).to.equal(1)
    expect(damaged.stderr).to.include('invalid_archive')
  })

  it('tells the line that has no answer, and goes on', async () => {
    const { code, stdout, stderr } = await svc(['run', file, '--lines', '--json-input'], {
      stdin: '"one"\n[1]\n"two"\n',
    })
    expect(code).to.equal(1)
    expect(stdout).to.equal('ONE\n\nTWO\n')
    expect(stderr).to.include('line 2')
  })

  it('reads an input as the recipe takes it: digits are a text to one and a number to another', async () => {
    const negate = { language: 'svc-recipe-1', body: { op: 'neg', value: { op: 'input' } } }
    const rows = [1, 2, 3].map((input) => {
      const id = `row_${input}`
      return { id, input, expected: -input, output: -input, abstained: false, correct: true }
    })
    const input = { recipe: { kind: 'program' as const, recipe: negate }, evals: evalsOf(rows) }
    await writeFile(join(folder, 'negate.svc'), (await sealFixture({ input })).archive)
    const cases: [string[], string][] = [
      [[file, '2015550100'], '2015550100'],
      [[file, '02134'], '02134'],
      [[file, '[1]'], '[1]'],
      [[file, '"quoted"'], 'QUOTED'],
      [['negate.svc', '2015550100'], '-2015550100'],
    ]
    await Promise.all(
      cases.map(async ([args, expected]) => {
        const { stdout, stderr } = await svc(['run', ...args])
        expect({ args, stdout, stderr }).to.deep.include({ args, stdout: `${expected}\n` })
      }),
    )
    const [asText, asJson, noJson] = await Promise.all([
      svc(['run', 'negate.svc', 'many']),
      svc(['run', file, '12', '--json-input']),
      svc(['run', file, 'no json', '--json-input']),
    ])
    expect(asText.code).to.equal(1)
    expect(asText.stderr).to.include('type_mismatch').and.include('--json-input')
    expect(asJson.code).to.equal(1)
    expect(asJson.stderr).to.include('--text')
    expect(noJson.code).to.equal(2)
  })

  it('warns about an unknown signer of an archive that it runs', async () => {
    const profileDir = join(folder, 'pinning')
    await mkdir(join(profileDir, 'svc'), { recursive: true })
    const profile = { pinned_keys: [toJwk(fixedSigningKey().publicKey)] }
    await writeFile(join(profileDir, 'svc', 'config.json'), JSON.stringify(profile))
    const [unpinned, pinned] = await Promise.all([svc(['run', file, 'x']), svc(['run', file, 'x'], { profileDir })])
    expect(unpinned).to.deep.include({ code: 0, stdout: 'X\n' })
    expect(unpinned.stderr).to.include('warning').and.include(fixedSigningKey().kid).and.include('not pinned')
    expect(pinned).to.deep.equal({ code: 0, stdout: 'X\n', stderr: '' })
  })

  it('shows what is inside', async () => {
    const [text, json] = await Promise.all([svc(['inspect', file]), svc(['inspect', file, '--json'])])
    expect(text.code, text.stderr).to.equal(0)
    expect(text.stdout).to.include('upper(').and.include('K-score').and.include('manifest.json').and.include('cidv1:')
    expect(JSON.parse(json.stdout)).to.have.nested.property('manifest.artifact_class', 'program')
  })
})
