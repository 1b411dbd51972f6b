/**
 * Trains the base `bases/nano` from its seed: `npm run base:train -- [--out DIR] [--work DIR] [--threads N]
 * [--resume]`. A longer run, `--steps N --decay-share S`, can start from the state of a shorter one that was saved
 * before its learning rates fell. The state of the run is saved regularly in the working directory; `--resume`
 * continues from there. Every save also writes the weights, so that an unfinished run can be tried.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseModelConfig } from '../../core/model/config/parse-config.ts'
import { loadTokenizer } from '../../core/model/tokenizer/load-tokenizer.ts'
import { loadRun, saveRun, type RunState } from './loop/run-state.ts'
import { lossPicture } from './loop/loss-picture.ts'
import { trainBase } from './loop/train-base.ts'
import { writeTokenizer, writeWeights } from './loop/write-base.ts'
import { BASE_CONFIG, GENERATION_CONFIG, SETTINGS } from './settings.ts'
import { tokenizerConfig } from './tokenizer/tokenizer-files.ts'
import { trainTokenizer } from './train-tokenizer.ts'

const REPORT_EVERY = 10
const SAVE_EVERY = 100

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: 'bases/nano' },
    work: { type: 'string', default: '.out/base-training' },
    threads: { type: 'string', default: '2' },
    steps: { type: 'string', default: String(SETTINGS.steps) },
    'decay-share': { type: 'string', default: String(SETTINGS.decayShare) },
    resume: { type: 'boolean', default: false },
  },
})
const { out, work } = options
const schedule = { steps: Number(options.steps), decayShare: Number(options['decay-share']) }

mkdirSync(work, { recursive: true })
const tokenizer = trainTokenizer(SETTINGS.seed)
writeTokenizer(out, tokenizer)
const isResumed = options.resume && existsSync(join(work, 'run.bin'))
const { parameters, values, history } = await trainBase({
  config: parseModelConfig(BASE_CONFIG, GENERATION_CONFIG),
  tokenizer: loadTokenizer(tokenizer, tokenizerConfig(BASE_CONFIG.max_position_embeddings)),
  threads: Number(options.threads),
  schedule,
  shape: SETTINGS.shape,
  ...(isResumed && { restore: (state: RunState) => loadRun(work, state) }),
  reportEvery: REPORT_EVERY,
  report: ({ step, loss, answerLoss, tokens, seconds }, state, layout) => {
    console.log(
      `step ${step} of ${schedule.steps}, loss ${loss.toFixed(3)}, answers ${answerLoss.toFixed(3)}, ${tokens} tokens, ${seconds} s`,
    )
    if (step % SAVE_EVERY !== 0) return
    saveRun(work, state)
    writeWeights(out, layout, state.arrays.values)
    writeFileSync(join(work, 'history.json'), `${JSON.stringify(state.history, null, 1)}\n`)
  },
})
writeWeights(out, parameters, values)
writeFileSync(join(out, 'loss.svg'), lossPicture(history))
writeFileSync(
  join(out, 'training.json'),
  `${JSON.stringify({ settings: { ...SETTINGS, ...schedule }, parameters: values.length, threads: Number(options.threads), history }, null, 1)}\n`,
)
