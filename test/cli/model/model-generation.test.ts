import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { goldenFolder } from '../../model/files/base-folder.ts'
import { runCli } from '../../support/cli/run-cli.ts'

const base = goldenFolder('llama-tied')

describe('svc model logprobs and svc model sample', () => {
  let folder: string

  const svc = async (...args: readonly string[]) =>
    await runCli(['model', ...args], { folder, profileDir: join(folder, 'no-profile') })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-generation-'))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('gives the log-probability of each token but the first, with and without an adapter', async () => {
    const text = 'the cat'
    const plain = await svc('logprobs', '--base', base, '--text', text, '--json')
    const adapted = await svc('logprobs', '--base', base, '--adapter', join(base, 'adapter'), '--text', text)
    expect(plain.code).to.equal(0)
    const report = JSON.parse(plain.stdout)
    expect(report.tokens.map(({ token }: { token: string }) => token).join('')).to.include(text)
    expect(report.tokens[0].logprob).to.equal(null)
    expect(report.tokens[1].logprob).to.be.lessThan(0)
    const lines = adapted.stdout.trimEnd().split('\n')
    expect(lines).to.have.lengthOf(report.tokens.length + 1)
    expect(Number.parseFloat(lines.at(-1) ?? '')).to.not.be.closeTo(report.sum, 1e-3)
  })

  it('answers within labels or by a JSON Schema', async () => {
    const drawn = async (...options: readonly string[]) =>
      (
        await svc('sample', '--base', base, '--prompt', 'the', '--temperature', '2', '--seed', '3', ...options)
      ).stdout.trimEnd()
    expect(await drawn('--labels', 'the,cat')).to.be.oneOf(['the', 'cat'])
    const schema = join(folder, 'schema.json')
    await writeFile(schema, JSON.stringify({ type: 'object', properties: { n: { enum: [1, 20] } }, required: ['n'] }))
    expect(JSON.parse(await drawn('--json-schema', schema)))
      .to.have.property('n')
      .that.is.oneOf([1, 20])
  })

  it('says what is wrong with its arguments', async () => {
    const sample = async (...args: readonly string[]) => await svc('sample', '--prompt', 'the', ...args)
    const joined = await sample('--base', base, '--labels', 'a', '--regex', 'b')
    expect(joined.code).to.equal(2)
    expect(joined.stderr).to.include('use only one of')
    expect((await sample('--base', base, '--regex', '(?i)a')).stderr).to.include('invalid_constraint')
  })
})
