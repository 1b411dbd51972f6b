/**
 * Writes the bases and adapters of test/model/golden as GGUF, and has llama.cpp load them and compute with them:
 * `node bench/model/llama-cpp.ts PYTHON`, where PYTHON is one with llama-cpp-python (pip builds it in about eight minutes).
 * The figures that it is compared with are transformers' and PEFT's. Exit code 1 when they differ.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { readBaseTexts } from '../../core/model/export/base-texts.ts'
import { exportModel } from '../../core/model/export/export-model.ts'
import type { ExportChoice } from '../../core/model/export/targets.ts'
import { ADAPTER_FILES, readAdapter } from '../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../core/model/files/base-model.ts'

const GOLDEN = fileURLToPath(new URL('../../test/model/golden/', import.meta.url))
const BASES = ['llama-tied', 'llama-untied', 'qwen2', 'qwen3']
const CHOICES: readonly ExportChoice[] = [
  { target: 'gguf', quant: 'F32', part: 'base' },
  { target: 'gguf', quant: 'F16', part: 'base' },
  { target: 'gguf', quant: 'Q8_0', part: 'base' },
  { target: 'gguf', quant: 'F32', part: 'merged' },
  { target: 'gguf', quant: 'F32', part: 'adapter' },
]

const [python = 'python3'] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'svc-llama-cpp-'))
try {
  for (const name of BASES) await writeFiles(name)
  const script = fileURLToPath(new URL('llama-cpp-check.py', import.meta.url))
  const { status } = spawnSync(python, [script, folder, GOLDEN, ...BASES], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} finally {
  await rm(folder, { recursive: true })
}

async function writeFiles(name: string): Promise<void> {
  const directory = join(GOLDEN, name)
  const base = await openBaseModel(directory)
  const files = new Map<string, Uint8Array>()
  for (const file of ADAPTER_FILES) files.set(file, await readFile(join(directory, 'adapter', file)))
  const adapter = readAdapter(files, base.model.config)
  const origin = { name, artifactId: 'none', cid: 'none', baseModel: name, baseWeightsHash: base.model.weightsHash }
  const texts = await readBaseTexts(directory)
  for (const choice of CHOICES) {
    const file = exportModel({ origin, base, texts, adapter }, choice)
    const path = join(folder, `${name}-${choice.part}-${choice.quant}.gguf`)
    await pipeline(Readable.from(file.pieces(), { objectMode: false }), createWriteStream(path))
  }
}
