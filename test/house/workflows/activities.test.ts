import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ActivityOptions } from '@temporalio/workflow'
import { expect } from 'chai'
import { QUEUES } from '../../../core/kernel/workflows/queues.ts'
import { FAMILIES } from '../../../core/workflows.ts'
import { activitiesOf } from '../../../workers/activities.ts'
import type { WorkerDeps } from '../../../workers/deps.ts'
import { TRAINER_QUEUE } from '../../../workflows/kernel/names.ts'
import * as policies from '../../../workflows/kernel/policies.ts'

/** A call of an activity in the code of a workflow. */
interface ActivityCall {
  readonly file: string
  readonly activity: string
  readonly policy: string
}

const POLICIES = new Map(Object.entries<ActivityOptions>(policies))
const PROXY = /const (?:(\w+)|\{ ([\w, ]+) \}) = proxyActivities<\w+>\((.*)\)$/gm
const WORKFLOW = /^export \{ (?:\w+ as )?'?([\w-]+)'? \} from '\.\/(.+)'$/gm

const calls = readdirSync('workflows', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) => callsIn(`workflows/${path}`))

/** The file of each family's workflow, by the name of the family. */
const files = new Map(
  [...readFileSync('workflows/index.ts', 'utf8').matchAll(WORKFLOW)].map(([, name = '', path = '']) => [name, path]),
)

/** Names of the activities on each queue: those that workers of this program register, and those of the trainer. */
const registered = new Map<string, readonly string[]>([
  // Only their names are read, and none is called.
  ...Object.values(QUEUES).map((queue) => [queue, Object.keys(activitiesOf({} as WorkerDeps, queue))] as const),
  [TRAINER_QUEUE, trainerActivities()],
])

describe('the activities of workflows', () => {
  it('exist for every family, whose workflow is in its area', () => {
    for (const { name } of FAMILIES) {
      const file = files.get(name) ?? ''
      const [area = ''] = file.split('/')
      expect(readFileSync(`core/${area}/workflows.ts`, 'utf8'), name).to.include(`name: '${name}'`)
      const own = calls.filter((call) => dirname(call.file) === dirname(`workflows/${file}`))
      expect(own, `activities of ${name}`).to.not.deep.equal([])
    }
  })

  it('run under a policy that bounds an attempt and notices a dead worker', () => {
    const unbounded = calls.filter(({ policy }) => {
      const { startToCloseTimeout, heartbeatTimeout, retry } = POLICIES.get(policy) ?? {}
      return startToCloseTimeout === undefined || heartbeatTimeout === undefined || retry === undefined
    })
    expect(unbounded).to.deep.equal([])
  })

  it('are registered on the queue of their policy', () => {
    const missing = calls.filter(({ activity, policy }) => {
      const queue = POLICIES.get(policy)?.taskQueue ?? ''
      return registered.get(queue)?.includes(activity) !== true
    })
    expect(missing).to.deep.equal([])
  })

  it('are called by a workflow wherever workers register them', () => {
    const called = new Set(calls.map(({ activity }) => activity))
    const uncalled = [...registered.values()].flat().filter((name) => !called.has(name))
    expect(uncalled).to.deep.equal([])
  })
})

/** Finds the calls of a file. Options of a call that begin with a policy replace that of the proxy. */
function callsIn(file: string): readonly ActivityCall[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(PROXY)].flatMap(([, proxy, names = '', policy = '']) => {
    const pattern = proxy === undefined ? `\\b(${names.split(', ').join('|')})` : `\\b${proxy}\\s*\\.(\\w+)`
    const call = new RegExp(`${pattern}(?:\\.executeWithOptions)?\\((?:\\s*\\{\\s*\\.\\.\\.(\\w+))?`, 'g')
    return [...text.matchAll(call)].map(([, activity = '', own = '']) => ({
      file,
      activity,
      policy: POLICIES.has(own) ? own : policy,
    }))
  })
}

function trainerActivities(): readonly string[] {
  const text = readFileSync('workers/trainer/svc_trainer/activity.py', 'utf8')
  return [...text.matchAll(/@activity\.defn\(name="(\w+)"\)/g)].map(([, name = '']) => name)
}
