import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { readAdapter } from '../../core/model/files/adapter-files.ts'
import { openBaseModel } from '../../core/model/files/base-model.ts'
import { goldenFolder } from '../model/files/base-folder.ts'
import { runCli } from '../support/cli/run-cli.ts'

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
const BASE = ['--base', goldenFolder('llama-tied'), '--threads', '1']

/** A module that kills its process, as `kill -9` does, once five checkpoints are in place. */
const KILL_AFTER_FIVE = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const rename = fs.renameSync
  let checkpoints = 0
  fs.renameSync = (from, to) => {
    rename(from, to)
    if (++checkpoints === 5) process.kill(process.pid, 'SIGKILL')
  }
  syncBuiltinESMExports()
`)}`

/** The step of a checkpoint, out of its header. */
function stepOf(checkpoint: Buffer): number {
  const header: { step: number } = JSON.parse(checkpoint.toString('utf8', 16, 16 + checkpoint.readUInt32LE(12)))
  return header.step
}

describe('svc train', () => {
  let folder: string

  const svc = async (...args: readonly string[]) =>
    await runCli(['train', ...BASE, ...args], {
      folder,
      profileDir: join(folder, 'no-profile'),
    })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-train-'))
    const rows = Array.from({ length: 12 }, (_, i) => JSON.stringify({ input: `a${i % 4}`, output: `b${i % 4}` }))
    await writeFile(join(folder, 'rows.jsonl'), rows.join('\n'))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('writes an adapter that belongs to the base, its record and its loss curve', async () => {
    const options = ['--data', 'rows.jsonl', '--out', 'out', '--rank', '4', '--epochs', '6', '--seed', '3']
    const { code, stdout, stderr } = await svc(...options)
    expect({ code, stderr }).to.deep.include({ code: 0 })
    expect(stderr).to.match(/step \d+\/\d+ +epoch \d+ +loss [\d.]+ +\d+ tokens\/s/)
    expect(stdout).to.match(/^adapter +out \(sha256:[0-9a-f]{64}\)$/m)
    const out = join(folder, 'out')
    expect((await readdir(out)).toSorted()).to.deep.equal([
      'adapter_config.json',
      'adapter_model.safetensors',
      'loss.svg',
      'training.json',
    ])
    const { model } = await openBaseModel(goldenFolder('llama-tied'))
    const files = new Map<string, Uint8Array>()
    for (const name of ['adapter_config.json', 'adapter_model.safetensors']) {
      files.set(name, await readFile(join(out, name)))
    }
    expect(readAdapter(files, model.config).config).to.deep.include({ rank: 4, alpha: 8 })
    const record = JSON.parse(await readFile(join(out, 'training.json'), 'utf8'))
    expect(record).to.deep.include({ trainer: 'embedded', objective: 'supervised', threads: 1 })
    expect(record.base).to.deep.equal({ name: 'llama-tied', weightsHash: model.weightsHash })
    expect(record.hyperparameters).to.deep.include({ rank: 4, epochs: 6, seed: 3 })
    expect(record.history.steps).to.have.length(record.steps)
    expect(await readFile(join(out, 'loss.svg'), 'utf8')).to.match(/^<svg /)

    const again = await svc(...options.with(3, 'again'), '--json')
    expect(JSON.parse(again.stdout)).to.deep.include({ adapterHash: record.adapterHash })
  })

  it('distils a teacher: an adapter, or another base with the same vocabulary', async () => {
    const options = ['--data', 'rows.jsonl', '--objective', 'gkd', '--max-steps', '6', '--seed', '2', '--lmbda', '1']
    const taught = await svc(...options, '--out', 'taught', '--teacher', goldenFolder('llama-untied'), '--beta', '1')
    expect(taught).to.deep.include({ code: 0 })
    expect(taught.stdout).to.match(/^on-policy +100 % of the rows$/m)
    const record = JSON.parse(await readFile(join(folder, 'taught', 'training.json'), 'utf8'))
    expect(record).to.deep.include({ objective: 'gkd', steps: 6, onPolicyShare: 1 })
    expect(record.hyperparameters.objective).to.deep.include({ kind: 'gkd', beta: 1, lmbda: 1 })
    const [student] = BASE.slice(1)
    const own = ['--teacher', student ?? '', '--teacher-adapter', 'taught', '--max-new-tokens', '3']
    expect(await svc(...options, '--out', 'again', ...own)).to.deep.include({ code: 0 })
    const other = await svc(...options, '--out', 'bad', '--teacher', join(goldenFolder('qwen2'), '../qwen3-moe'))
    expect(other.code).to.equal(1)
    expect(other.stderr).to.include('teacher_vocab_mismatch')
    expect((await svc(...options, '--out', 'bad')).stderr).to.include('--teacher: the objective gkd needs the folder')
  })

  it('ends with the same adapter after it was killed three times', async () => {
    const options = ['--data', 'rows.jsonl', '--epochs', '30', '--checkpoint-seconds', '0']
    const out = join(folder, 'killed')
    const checkpoint = join(out, 'checkpoint.bin')
    const steps: number[] = []
    for (let kill = 0; kill < 3; kill++) {
      const resume = kill === 0 ? [] : ['--resume', checkpoint]
      const command = ['--import', KILL_AFTER_FIVE, MAIN, 'train', ...BASE, ...options, '--out', out, ...resume]
      const child = spawn(process.execPath, command, { cwd: folder, stdio: 'ignore' })
      const [, signal] = await once(child, 'exit')
      expect(signal).to.equal('SIGKILL')
      steps.push(stepOf(await readFile(checkpoint)))
    }
    expect(steps).to.deep.equal([5, 10, 15])
    const [resumed, whole] = await Promise.all([
      svc(...options, '--out', out, '--resume', checkpoint, '--json'),
      svc(...options, '--out', 'whole', '--json'),
    ])
    const hashOf = ({ stdout }: { stdout: string }): unknown => JSON.parse(stdout).adapterHash
    expect(hashOf(resumed)).to.equal(hashOf(whole))
  }).timeout(180_000)

  it('says what is wrong with options and rows', async () => {
    await writeFile(join(folder, 'pairs.jsonl'), '{"input":"a","output":"b"}')
    await writeFile(join(folder, 'empty.jsonl'), '\n')
    await writeFile(join(folder, 'wide.jsonl'), JSON.stringify({ input: 'a', output: 'b'.repeat(400) }))
    await writeFile(join(folder, 'checkpoint'), 'none')
    await writeFile(join(folder, 'weightless.jsonl'), JSON.stringify({ input: 'a', output: 'b', weight: 0 }))
    const rows = ['--data', 'rows.jsonl', '--out', 'bad']
    const cases: [string[], number, string][] = [
      [['--out', 'bad'], 2, "required option '--data <file>'"],
      [['--data', 'absent.jsonl', '--out', 'bad'], 2, 'cannot read absent.jsonl'],
      [['--data', 'empty.jsonl', '--out', 'bad'], 2, 'no_training_rows'],
      [['--data', 'pairs.jsonl', '--out', 'bad', '--objective', 'dpo'], 2, 'line[1].chosen'],
      [['--data', 'wide.jsonl', '--out', 'bad'], 2, 'leaves no room for a prompt'],
      [[...rows, '--objective', 'bogus'], 2, 'Allowed choices'],
      [[...rows, '--epochs', 'x'], 2, 'must be a number'],
      [[...rows, '--epochs', '0'], 2, 'epochs'],
      [[...rows, '--threads', '100000'], 2, 'whole number from 1 to 256'],
      [['--data', 'weightless.jsonl', '--out', 'bad'], 2, 'has the weight 0'],
      [[...rows, '--memory-mib', '1'], 1, 'base_does_not_fit'],
      [[...rows, '--resume', 'checkpoint'], 1, 'invalid_checkpoint'],
    ]
    await Promise.all(
      cases.map(async ([args, expected, text]) => {
        const { code, stderr } = await svc(...args)
        expect({ args, code, stderr }).to.deep.include({ code: expected })
        expect(stderr).to.include(text)
      }),
    )
  })

  it('leaves nothing half done when a file cannot be written', async () => {
    await mkdir(join(folder, 'taken', 'checkpoint.bin', 'occupied'), { recursive: true })
    await mkdir(join(folder, 'taken', 'training.json.part'))
    const options = ['--data', 'rows.jsonl', '--out', 'taken', '--epochs', '20']
    for (const checkpoints of [['--checkpoint-seconds', '0'], []]) {
      const { code, stderr } = await svc(...options, ...checkpoints)
      expect({ code, stderr }).to.deep.include({ code: 1 })
      expect(stderr).to.match(/error: cannot write taken/)
      expect((await readdir(join(folder, 'taken'))).toSorted()).to.deep.equal(['checkpoint.bin', 'training.json.part'])
    }
  })

  it('says which prompts were cut', async () => {
    const input = 'a1 '.repeat(60)
    await writeFile(join(folder, 'long.jsonl'), JSON.stringify({ id: 'long one', input, output: 'b' }))
    const { code, stderr } = await svc('--data', 'long.jsonl', '--out', 'long', '--epochs', '1')
    expect(code).to.equal(0)
    expect(stderr).to.match(/1 prompt was too long and cut from the left: long one \(\d+ tokens\)/)
  })
})
