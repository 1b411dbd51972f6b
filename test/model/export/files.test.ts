import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readBaseTexts } from '../../../core/model/export/base-texts.ts'
import { exportModel } from '../../../core/model/export/export-model.ts'
import { chooseExport, type ExportChoice } from '../../../core/model/export/targets.ts'
import { runExport } from '../../../core/model/export/thread/run-export.ts'
import { baseWeights, mergeAdapter } from '../../../core/model/export/weights.ts'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import { expectCode } from '../../support/wire/expect-code.ts'
import { anOrigin, openGolden, unzip, wholeFile, type Golden } from './given.ts'

const MLX: ExportChoice = { target: 'mlx', quant: 'fp16', part: 'merged' }

const inThread = async (golden: Golden, choice: ExportChoice, signal = new AbortController().signal) =>
  await runExport(
    { directory: golden.directory, adapterFiles: golden.adapterFiles, origin: anOrigin(golden), choice },
    signal,
    async (file) => ({ fileName: file.fileName, bytes: await wholeFile(file) }),
  )

describe('exported files', () => {
  it('hold for MLX a folder that opens as a base again, with the adapter merged in half precision', async () => {
    const golden = await openGolden('llama-untied')
    const { bytes, fileName } = await inThread(golden, MLX)
    expect(fileName).to.equal('given-fp16-mlx.zip')
    const folder = await mkdtemp(join(tmpdir(), 'svc-mlx-'))
    try {
      for (const [name, member] of await unzip(bytes)) await writeFile(join(folder, name), member)
      const reopened = await openBaseModel(folder)
      expect(reopened.model.config).to.deep.equal(golden.base.model.config)
      const merged = mergeAdapter(baseWeights(golden.base.model), golden.adapter)
      for (const name of merged.names) {
        const halves = reopened.model.weights.get(name)?.data ?? new Float32Array()
        for (const [index, value] of merged.read(name).entries()) {
          expect(Math.abs((halves[index] ?? 0) - value), name).to.be.at.most(Math.abs(value) * 2 ** -11 + 2 ** -25)
        }
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('are the same, byte for byte, whenever they are made', async () => {
    const golden = await openGolden('qwen2')
    const source = {
      origin: anOrigin(golden),
      base: golden.base,
      texts: await readBaseTexts(golden.directory),
      adapter: golden.adapter,
    }
    for (const choice of [MLX, { target: 'gguf', quant: 'Q8_0', part: 'merged' }] as const) {
      const here = await wholeFile(exportModel(source, choice))
      const there = await inThread(golden, choice)
      expect(there.bytes.equals(here)).to.equal(true)
    }
  })

  it('are not made of a base with other weights, nor of a damaged adapter', async () => {
    const golden = await openGolden('qwen3')
    const folder = await mkdtemp(join(tmpdir(), 'svc-base-'))
    try {
      await cp(golden.directory, folder, { recursive: true })
      const other = await openGolden('qwen2')
      await expectCode('base_mismatch', () => inThread({ ...other, directory: folder }, MLX))
      const files = new Map(golden.adapterFiles)
      files.set('adapter_model.safetensors', Buffer.from('not a file of weights'))
      await expectCode('invalid_adapter', () => inThread({ ...golden, adapterFiles: files }, MLX))
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('stop being made when the caller no longer wants them', async () => {
    const golden = await openGolden('qwen3')
    const abort = new AbortController()
    const failure = runExport(
      { directory: golden.directory, adapterFiles: golden.adapterFiles, origin: anOrigin(golden), choice: MLX },
      abort.signal,
      async (file) => {
        abort.abort(new Error('enough'))
        return await wholeFile(file)
      },
    ).catch((error: unknown) => error)
    expect(await failure).to.have.property('message', 'enough')
  })

  it('exist for the parts and numbers that a format can hold', () => {
    expect(chooseExport('gguf', null, 'merged')).to.deep.equal({ target: 'gguf', quant: 'F16', part: 'merged' })
    expect(chooseExport('gguf', 'q8_0', 'base')).to.include({ quant: 'Q8_0' })
    expect(chooseExport('gguf', 'Q8_0', 'adapter')).to.equal(undefined)
    expect(chooseExport('gguf', 'Q4_K_M', 'merged')).to.equal(undefined)
    expect(chooseExport('onnx', null, 'adapter')).to.equal(undefined)
    expect(chooseExport('mlx', 'FP16', 'merged')).to.include({ quant: 'fp16' })
  })
})
