import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { listChores } from '../../../activities/kernel/chores/chore.ts'
import { RECONCILE_CHORES } from '../../../activities/overview/reconcile/chores.ts'
import { SWEEPS } from '../../../activities/overview/housekeeping/sweeps.ts'
import { FAMILIES, familyOf, REQUESTED_FAMILIES } from '../../../core/workflows.ts'
import * as workflows from '../../../workflows/index.ts'
import { HISTORIES_DIR } from '../../support/workflows/histories.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

describe('families of workflows', () => {
  it('have a name of their own, a workflow and a recorded history each', async () => {
    const names = FAMILIES.map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    expect(Object.keys(workflows)).to.have.members(names)
    const histories = (await readdir(HISTORIES_DIR)).map((file) => file.replace(/(-\w+)?\.json$/, ''))
    expect([...new Set(histories)]).to.have.members(names)
  })

  it('are reconciled, each by a chore of its own, when verbs request them', () => {
    const chores = RECONCILE_CHORES.map(({ name }) => name)
    expect(chores).to.include.members(REQUESTED_FAMILIES.map(({ name }) => name))
    expect(new Set(chores).size).to.equal(chores.length)
    // The next tick is the next attempt: two of a family that hangs would hold up all others for longer.
    expect(listChores(RECONCILE_CHORES).map(({ attempts }) => attempts)).to.deep.equal(chores.map(() => 1))
    const sweeps = SWEEPS.map(({ name }) => name)
    expect(new Set(sweeps).size).to.equal(sweeps.length)
  })

  it('are found by the name that the outbox stores, and read no input of another shape', () => {
    for (const { name } of REQUESTED_FAMILIES) {
      expect(familyOf(name).name).to.equal(name)
      expect(() => familyOf(name).read({})).to.throw()
    }
    expect(() => familyOf('nothing')).to.throw('no family of workflows is named nothing')
  })

  it('start in temporal/start.ts and nowhere else', async () => {
    const starters: string[] = []
    for (const layer of ['api', 'activities', 'temporal', 'workers', 'workflows']) {
      const files = (await readdir(`${ROOT}${layer}`, { recursive: true })).filter((file) => file.endsWith('.ts'))
      for (const file of files) {
        const text = await readFile(`${ROOT}${layer}/${file}`, 'utf8')
        if (/signalWithStart\(|workflow\.(start|execute)\(/.test(text)) starters.push(`${layer}/${file}`)
      }
    }
    expect(starters).to.deep.equal(['temporal/start.ts'])
  })
})
