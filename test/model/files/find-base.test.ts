import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { findBase, listBases } from '../../../core/model/files/find-base.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { GOLDEN_BASES, goldenFolder } from './base-folder.ts'

const GOLDEN = dirname(goldenFolder('qwen2'))

describe('bases by name', () => {
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-bases-'))
    await mkdir(join(folder, 'mixture'))
    await writeFile(join(folder, 'mixture', 'config.json'), '{"architectures": ["MixtralForCausalLM"]}')
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('lists the bases that can be computed, with their size', async () => {
    const bases = await listBases([folder, join(folder, 'absent'), GOLDEN, GOLDEN])
    expect(bases.map(({ name }) => name)).to.include.members([...GOLDEN_BASES])
    expect(bases[0]).to.deep.include({ parameters: 21_152, directory: goldenFolder('llama-tied') })
  })

  it('finds a base in the first folder that has it', async () => {
    expect(await findBase('qwen3', [folder, GOLDEN])).to.equal(goldenFolder('qwen3'))
    expect(await findBase('mixture', [folder, GOLDEN])).to.equal(join(folder, 'mixture'))
  })

  it('names the known ones in place of an unknown one, and never leaves its folders', async () => {
    const names = ['none-such', '', '.', '..', '../golden/qwen2', `${GOLDEN}/qwen2`, 'qwen2/', 'qwen2\0', '.hidden']
    for (const name of names) {
      const error = await expectCode('unknown_base_model', async () => await findBase(name, [GOLDEN]))
      expect(error.details?.['known']).to.include.members([...GOLDEN_BASES])
    }
  })
})
