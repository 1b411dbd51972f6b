import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../kernel/threads/thread-priority.ts'
import { EngineHost } from '../engine/engine-host.ts'
import { AdapterAskers } from './adapter-askers.ts'
import type { GenerationTasks } from './generation-tasks.ts'

const askers = new AdapterAskers()
let opened: EngineHost | undefined

function host(): EngineHost {
  if (opened === undefined) throw new Error('the thread has no base yet')
  return opened
}

serveTasks<GenerationTasks>({
  open: ({ base, vocabulary, settings }) => {
    if (settings.isBackground === true) lowerThreadPriority()
    opened = new EngineHost(base, vocabulary, settings, async (hash) => await askers.fetch(hash))
    return null
  },
  generate: async (request, task) =>
    await askers.during(request.adapterHash, task, async () => await host().generate(request, task.signal)),
  score: async ({ ids, adapterHash }, task) =>
    await askers.during(adapterHash, task, async () => await host().score(ids, adapterHash, task.signal)),
  scoreContinuations: async (request, task) =>
    await askers.during(request.adapterHash, task, async () => await host().scoreContinuations(request, task.signal)),
  stats: () => host().stats(),
  close: async () => {
    await host().close()
    return null
  },
})
