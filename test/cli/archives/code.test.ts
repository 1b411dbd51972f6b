import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { sealFixture } from '../../support/archives/archives.ts'
import { runCli } from '../../support/cli/run-cli.ts'

describe('svc inspect --as', () => {
  let folder: string
  let file: string

  const svc = async (args: readonly string[]) => await runCli(args, { folder, profileDir: join(folder, 'no-profile') })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-test-'))
    file = join(folder, 'upper.svc')
    await writeFile(file, (await sealFixture()).archive)
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('prints the recipe as code, or writes it into a folder', async () => {
    const out = join(folder, 'code')
    const [python, written, misused] = await Promise.all([
      svc(['inspect', file, '--as', 'python']),
      svc(['inspect', file, '--as', 'sql', '-o', out]),
      svc(['inspect', file, '-o', out]),
    ])
    expect(python.code, python.stderr).to.equal(0)
    expect(python.stdout).to.match(/^def \w+\(text: str\) -> str:\n {4}"""/)
    expect(written.stdout).to.equal(`wrote ${join(out, 'recipe.sql')}\n`)
    expect(await readFile(join(out, 'recipe.sql'), 'utf8')).to.include('CREATE FUNCTION')
    expect(misused).to.include({ code: 2 })
  })
})
