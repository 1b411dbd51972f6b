import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { fitRanking } from '../../../../../bench/ranking/fit-ranking-on.ts'
import { fitWeights } from '../../../../../bench/ranking/fit-weights.ts'
import { rankingText, readRanking } from '../../../../../bench/ranking/ranking-file.ts'
import { readRankingTasks, type RankingTask } from '../../../../../bench/ranking/ranking-tasks.ts'
import { searchTasks } from '../../../../../bench/ranking/search-tasks.ts'
import { fitNone, fitTemperature, misjudged } from '../../../../../bench/ranking/temperature.ts'
import { ALL_TASKS } from '../../../../../bench/tasks/all.ts'

/** Which sixteenth: one of which all tasks are solved. */
const SAMPLE = 4
const OPTIONS = { rounds: 2, lambda: 0.3, temperature: 0.3, k: 16 }

/** A sixteenth of the tasks by the digests of their names: others that join or leave change nothing about one. */
function isInSample({ id, shown }: Pick<RankingTask, 'id' | 'shown'>): boolean {
  return shown === 4 && (createHash('sha256').update(id).digest()[0] ?? 0) % 16 === SAMPLE
}

function candidate(features: Readonly<Record<string, number>>, isRight: boolean) {
  return { features, isRight, fits: true }
}

describe('fit-ranking', () => {
  it('gives the same file for a shuffled copy of its data', async function () {
    this.timeout(180_000)
    const folder = mkdtempSync(join(tmpdir(), 'svc-ranking-'))
    try {
      const tasks = ALL_TASKS.filter(({ category }) => category === 'extraction').slice(0, 4)
      const data = tasks.map(({ name, examples }) => ({ id: name, examples }))
      const files = [data, data.toReversed()].map((content, at) => {
        writeFileSync(join(folder, `${at}.json`), JSON.stringify(content))
        return join(folder, `${at}.json`)
      })
      const texts: string[] = []
      for (const file of files) {
        const read = readRankingTasks([file], [1], 'no task of this tree')
        const before = await searchTasks(read.tasks, readRanking(), OPTIONS.k)
        texts.push(rankingText(await fitRanking(read.tasks, readRanking(), before, OPTIONS)))
        expect(Object.keys(read.digests)).to.have.length(3)
      }
      expect(texts[0]).to.equal(texts[1])
      expect(texts[0]).not.to.equal(rankingText(readRanking()))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('notices weights that were given to other features', async function () {
    this.timeout(180_000)
    const ranking = readRanking()
    const names = Object.keys(ranking.weights)
    const rotated = names.map((name, at) => [name, ranking.weights[names[(at + 1) % names.length] ?? ''] ?? 0])
    const tasks = readRankingTasks([], []).tasks.filter(isInSample)
    const solved = async (weights: Readonly<Record<string, number>>) => {
      const found = await searchTasks(tasks, { ...ranking, weights }, 4)
      return [...found.values()].filter(({ candidates }) => candidates[0]?.isRight === true).length
    }
    expect(await solved(ranking.weights)).to.equal(tasks.length)
    expect(await solved(Object.fromEntries(rotated))).to.be.lessThan(tasks.length)
  })

  it('brings the right program of a task before the wrong one, and keeps other weights and signs', () => {
    const present = { scale: 1, offset: 1, line: 1, 'concat.continued': -0.5 }
    const tasks = [
      {
        shown: 4,
        ms: 0,
        candidates: [candidate({ scale: 1, 'concat.continued': 1 }, false), candidate({ offset: 1 }, true)],
      },
    ]
    const fitted = fitWeights(present, tasks, { lambda: 0.01, temperature: 1 })
    expect(fitted['offset']).to.be.lessThan((fitted['scale'] ?? 0) + (fitted['concat.continued'] ?? 0))
    expect(fitted['concat.continued']).to.be.at.most(0)
    expect(fitted['line']).to.equal(1)
    expect(fitWeights(present, [], { lambda: 0.01, temperature: 1 })).to.deep.equal(present)
  })

  it('chooses the temperature at which shares match the right programs', () => {
    const sure = { shown: 4, costs: [1, 2], areRight: [true, false] }
    const unsure = { shown: 4, costs: [1, 2], areRight: [false, true] }
    expect(fitTemperature([sure, sure, sure, unsure])).to.be.closeTo(1 / Math.log(3), 0.05)
    expect(fitTemperature([sure])).to.equal(0.05)
  })

  it('places the claim that no candidate is right between the costs of right and wrong programs', () => {
    const right = { shown: 4, costs: [2], areRight: [true] }
    const wrong = { shown: 4, costs: [18], areRight: [false] }
    expect(fitNone([right, wrong])).to.equal(0.5)
    expect(misjudged([right, wrong], 4.5)).to.equal(0.5)
  })
})
