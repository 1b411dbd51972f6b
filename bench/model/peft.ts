/**
 * The embedded trainer against PEFT on torch: `node bench/model/peft.ts --python PYTHON [--only accuracy|speed]
 * [--shapes nano,smol135] [--rounds N] [--batches N] [--base FOLDER]`. PYTHON has workers/trainer/requirements.lock installed. Prints tables and
 * writes .out/peft-accuracy.json and .out/peft-speed.json; about ten minutes on two quiet cores.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { report } from '../harness/report.ts'
import { measureAccuracy } from './peft/accuracy.ts'
import { makeBase, SHAPES } from './peft/bases.ts'
import { EXTENTS, measureSpeed } from './peft/speed.ts'

const USAGE = `node bench/model/peft.ts --python PYTHON [--only accuracy|speed] [--shapes nano,smol135] [--rounds N] [--batches N] [--base FOLDER]
PYTHON: an interpreter that has workers/trainer/requirements.lock installed`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    python: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    batches: { type: 'string' },
    shapes: { type: 'string', default: SHAPES.join(',') },
    base: { type: 'string', multiple: true, default: ['bases/nano'] },
  },
})
const { python, only } = values
if (values.help || python === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(values.help ? 0 : 2)
}
const asked = values.shapes.split(',')
const folder = await mkdtemp(join(tmpdir(), 'svc-peft-'))
try {
  if (only !== 'speed') {
    const differences = await measureAccuracy(python, values.base, folder)
    await report('peft-accuracy', differences)
    if (differences.some(({ ok }) => ok === 'no')) process.exitCode = 1
  }
  if (only !== 'accuracy') {
    const speeds = []
    for (const shape of SHAPES.filter((name) => asked.includes(name))) {
      const extent = {
        rounds: Number(values.rounds ?? EXTENTS[shape].rounds),
        batches: Number(values.batches ?? EXTENTS[shape].batches),
      }
      speeds.push(...(await measureSpeed(python, await makeBase(python, shape, folder), shape, extent)))
    }
    await report('peft-speed', speeds)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
