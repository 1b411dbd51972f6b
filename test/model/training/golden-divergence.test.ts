import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { z } from 'zod'
import { openBaseModel } from '../../../core/model/files/base-model.ts'
import { TeacherModel } from '../../../core/model/llama/engine/teacher-model.ts'
import { taughtEngine } from '../../../core/model/training/onpolicy/taught-engine.ts'
import type { FitRow } from '../../../core/model/training/rows.ts'
import { FOLDER, goldenEngine, stepOf, tensorsOf, worstError } from './golden.ts'

const ids = z.array(z.int())
const Expected = z.object({
  rows: z.array(z.object({ prompt: ids, answer: ids })),
  teacherLogits: z.array(z.array(z.array(z.number()))),
  cases: z.array(z.object({ beta: z.number(), temperature: z.number(), loss: z.number(), gradients: z.string() })),
})
/** Written by bench/model/peft/python/make-gkd-golden.py with trl 1.16.0. */
const { rows, teacherLogits, cases } = Expected.parse(
  JSON.parse(readFileSync(new URL('gkd/expected.json', FOLDER), 'utf8')),
)

/** The base `llama-untied`, which taught in trl. */
async function goldenTeacher(): Promise<TeacherModel> {
  const { model } = await openBaseModel(fileURLToPath(new URL('../llama-untied/', FOLDER)))
  return new TeacherModel({ ...model, adapter: null, threads: 1 })
}

describe("divergence from a teacher beside trl's GKDTrainer", () => {
  for (const { beta, temperature, loss, gradients } of cases) {
    const expected = tensorsOf(`gkd/${gradients}`)

    if (temperature === 1) {
      it(`gkd has the loss and the gradients at beta ${beta}`, async () => {
        const teacher = await goldenTeacher()
        const form = { form: 'hidden', hiddenSize: teacher.head.shape[1] ?? 0 } as const
        const scoring = { kind: 'divergence', beta, temperature, teacher: form } as const
        const given = await goldenEngine({ scoring, teacherHead: teacher.head })
        const engine = taughtEngine(given.engine, teacher)
        const plain = rows.map((row, i): FitRow => ({ id: `${i}`, weight: 1, ...row }))
        const objective = { kind: 'gkd', beta, lmbda: 0, temperature, maxNewTokens: 1, warmup: 0 } as const
        const step = await stepOf({ ...given, engine }, plain, objective)
        expect(step.loss).to.be.closeTo(loss, 1e-5)
        expect(worstError(engine, step.gradients, expected)).to.be.below(1e-4)
        await engine.release()
      })
    }

    it(`kd has them at beta ${beta} and temperature ${temperature}, from the teacher's logits`, async () => {
      const scoring = { kind: 'divergence', beta, temperature, teacher: { form: 'logits' } } as const
      const given = await goldenEngine({ scoring })
      const taught = rows.map((row, i): FitRow => {
        const logProbs = teacherLogits[i] ?? []
        const teacher = { k: logProbs[0]?.length ?? 0, ids: null, logProbs: logProbs.flat() }
        return { id: `${i}`, weight: 1, ...row, teacher }
      })
      const step = await stepOf(given, taught, { kind: 'kd', beta, temperature })
      expect(step.loss).to.be.closeTo(loss, 1e-5)
      expect(worstError(given.engine, step.gradients, expected)).to.be.below(1e-4)
      await given.engine.release()
    })
  }
})
