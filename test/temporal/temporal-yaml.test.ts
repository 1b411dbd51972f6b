import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { loadTemporalYaml, parseTemporalYaml } from '../../config/temporal-yaml.ts'
import { QUEUES } from '../../core/kernel/workflows/queues.ts'
import { FAMILIES } from '../../core/workflows.ts'
import { SEARCH_ATTRIBUTE_KEYS } from '../../workflows/kernel/names.ts'
import * as policies from '../../workflows/kernel/policies.ts'
import * as workflows from '../../workflows/index.ts'

const PATH = fileURLToPath(new URL('../../temporal.yaml', import.meta.url))

const VALID = `namespace:
  name: svc
  retention: 3d
queues:
  io: { activities: 4, workflowTasks: 4 }
searchAttributes:
  SvcTenant: Keyword
schedules:
  tick:
    workflow: reconcile
    queue: io
    every: 10s
    note: Ticks
`

describe('temporal.yaml', () => {
  const file = loadTemporalYaml(PATH)

  it('declares every queue that the code uses', () => {
    const used = [...Object.values(QUEUES), ...Object.values(policies).map((policy) => policy.taskQueue)]
    expect(Object.keys(file.queues)).to.include.members([...new Set(used)])
    expect(Object.keys(file.queues)).to.have.members(['compile', 'fit', 'io', 'evidence', 'lora-fit-gpu'])
  })

  it('declares the search attributes that the code sets, with their types', () => {
    const set = SEARCH_ATTRIBUTE_KEYS.map((key) => [key.name, key.type])
    const declared = Object.entries(file.searchAttributes).map(([name, kind]) => [name, kind.toUpperCase()])
    expect(declared).to.have.deep.members(set)
  })

  it('schedules only workflows that exist, and the code exports each one it names', () => {
    expect(Object.keys(workflows)).to.have.members(FAMILIES.map(({ name }) => name))
    for (const schedule of Object.values(file.schedules)) expect(Object.keys(workflows)).to.include(schedule.workflow)
    expect(Object.keys(file.schedules)).to.have.members([
      'reconcile',
      'housekeeping',
      'ledger',
      'capture-partitions',
      'observe-traffic',
    ])
  })

  it('is read with its durations in milliseconds', () => {
    const parsed = parseTemporalYaml(VALID, 'temporal.yaml')
    expect(parsed.namespace.retention).to.equal(259_200_000)
    expect(parsed.schedules['tick']).to.include({ every: 10_000, overlap: 'skip', timezone: 'UTC' })
    const cores = parseTemporalYaml(VALID.replace('activities: 4', 'activities: cores'), 'temporal.yaml')
    expect(cores.queues['io']?.activities).to.be.greaterThan(0)
  })

  const mistakes: readonly (readonly [string, (text: string) => string, RegExp])[] = [
    ['a queue that is not declared', (text) => text.replace('queue: io', 'queue: oi'), /file\.yaml:11:12 .*oi/],
    ['a duration without a unit', (text) => text.replace('every: 10s', 'every: 10'), /file\.yaml:12:12 .*every/],
    ['an unknown type', (text) => text.replace('Keyword', 'Word'), /file\.yaml:7:14 .*SvcTenant/],
    ['a concurrency of zero', (text) => text.replace('activities: 4', 'activities: 0'), /file\.yaml:5:21 .*activities/],
    ['an unknown field', (text) => text.replace('  retention', '  retain: 1d\n  retention'), /file\.yaml:2:3 .*retain/],
    ['a missing part', (text) => text.replace(/searchAttributes:\n.*\n/, ''), /file\.yaml:1:1 .*searchAttributes/],
    ['neither every nor cron', (text) => text.replace('    every: 10s\n', ''), /file\.yaml:10:5 .*every/],
    ['YAML that does not parse', (text) => text.replace('name: svc', 'name: [svc'), /file\.yaml:\d+:\d+/],
    ['an empty file', () => '', /file\.yaml:1:1/],
  ]
  for (const [what, change, message] of mistakes) {
    it(`refuses ${what} and names the line`, () => {
      expect(() => parseTemporalYaml(change(VALID), 'file.yaml')).to.throw(message)
    })
  }
})
