import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { cacheVariables } from '../../stack/caches.ts'
import type { StartedMachine } from './market.ts'

const MACHINE = fileURLToPath(new URL('machine.ts', import.meta.url))

/** Settings of the machines of a test. */
export interface MachineOptions {
  /** Folder of the bases in the image of the machine. */
  readonly bases: string
  readonly checkpointS?: number
  /** The speed that it states, tokens a second; what it measured when absent. */
  readonly statedSpeed?: number | undefined
}

/** Starts what runs on a machine as a process that has the machine's variables and nothing else; returns how it is killed. */
export function bootMachine(options: MachineOptions): (machine: StartedMachine) => () => void {
  return ({ environment }) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MACHINE], {
      env: {
        PATH: process.env['PATH'],
        ...cacheVariables(),
        MACHINE_BASES: options.bases,
        MACHINE_CHECKPOINT_S: String(options.checkpointS ?? 0.1),
        ...(options.statedSpeed !== undefined && { MACHINE_STATED_SPEED: String(options.statedSpeed) }),
        ...environment,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return () => child.kill('SIGKILL')
  }
}
