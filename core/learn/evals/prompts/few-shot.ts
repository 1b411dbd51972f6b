import { canonicalJson, type JsonObject } from '../../../kernel/json/json.ts'
import { createPythonRandom } from '../../../kernel/statistics/python-random.ts'

/** Chooses the examples of a prompt. One sampler serves the rows of a task in their order. */
export interface FewShotSampler {
  /** Returns `count` examples for a row; `isOwnSplit` says that the row may itself be among them, and is left out. */
  sample(count: number, row: JsonObject, isOwnSplit: boolean): readonly JsonObject[]
}

/**
 * Returns a sampler of lm-evaluation-harness 0.4.13 (`lm_eval/api/samplers.py`): `default` draws with Python's generator,
 * `first_n` takes the first ones. `sample` throws when there are too few examples.
 */
export function createSampler(name: 'default' | 'first_n', pool: readonly JsonObject[], seed: number): FewShotSampler {
  const keys = new Map(pool.map((row) => [row, canonicalJson(row)]))
  const others = (rows: readonly JsonObject[], row: JsonObject): readonly JsonObject[] => {
    const key = canonicalJson(row)
    return rows.filter((each) => keys.get(each) !== key)
  }
  const require = (rows: readonly JsonObject[], count: number): void => {
    if (rows.length < count) throw new Error(`there are ${rows.length} examples for a prompt, and ${count} are needed`)
  }
  if (name === 'first_n') {
    return {
      sample(count, row, isOwnSplit) {
        const rows = isOwnSplit ? others(pool, row) : pool
        require(rows, count)
        return rows.slice(0, count)
      },
    }
  }
  const random = createPythonRandom(seed)
  const draw = (rows: readonly JsonObject[], count: number): readonly JsonObject[] => {
    require(rows, count)
    return random.sample(rows.length, count).flatMap((place) => rows.slice(place, place + 1))
  }
  return {
    sample(count, row, isOwnSplit) {
      if (!isOwnSplit) return draw(pool, count)
      const drawn = others(draw(pool, count + 1), row).slice(0, count)
      return drawn.length < count ? draw(others(pool, row), count) : drawn
    },
  }
}
