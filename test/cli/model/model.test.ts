import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { copyBase, goldenFolder } from '../../model/files/base-folder.ts'
import { runCli } from '../../support/cli/run-cli.ts'

describe('svc model info', () => {
  let folder: string

  const svc = async (...args: readonly string[]) =>
    await runCli(['model', 'info', ...args], { folder, profileDir: join(folder, 'no-profile') })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-model-'))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('says what a folder of weights holds', async () => {
    const { code, stdout } = await svc(goldenFolder('llama-tied'))
    expect(code).to.equal(0)
    expect(stdout).to.match(/^architecture +LlamaForCausalLM \(llama\)$/m)
    expect(stdout).to.match(/^parameters +21,152$/m)
    expect(stdout).to.match(/^rope +theta 500, llama3 scaling by 4 from 32 tokens$/m)
    expect(stdout).to.match(/^weights hash +sha256:[0-9a-f]{64}$/m)
  })

  it('says it in JSON', async () => {
    const { stdout } = await svc(goldenFolder('qwen3'), '--json')
    expect(JSON.parse(stdout)).to.deep.include({
      family: 'qwen3',
      parameters: 27_360,
      float32_bytes: 109_440,
      dtypes: ['F32'],
      context_length: 64,
      vocab_size: 128,
      tied_embeddings: true,
      extra_tensors: [],
    })
  })

  it('says clearly what is wrong with a folder', async () => {
    const base = await copyBase('qwen2')
    try {
      await base.change('config.json', { architectures: ['MambaForCausalLM'] })
      const unsupported = await svc(base.folder)
      expect(unsupported.code).to.equal(1)
      expect(unsupported.stderr).to.match(
        /MambaForCausalLM is not supported; supported are Llama.*unsupported_architecture/,
      )
    } finally {
      await base.remove()
    }
    const absent = await svc('absent')
    expect(absent.code).to.equal(2)
    expect(absent.stderr).to.include('absent is not a folder')
    const empty = await svc(folder)
    expect(empty.stderr).to.match(/config\.json is missing .*\(invalid_model\)/)
  })
})
