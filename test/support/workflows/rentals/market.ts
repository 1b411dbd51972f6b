import { randomBytes } from 'node:crypto'

/** The arguments with which a machine was started. */
export interface StartedMachine {
  readonly name: string
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
}

/** A machine of a provider. */
export interface RentedMachine extends StartedMachine {
  readonly id: string
  readonly startedAt: number
  endedAt: number | null
}

/** Faults of a provider, each for the next orders. */
export interface Fault {
  readonly kind: 'none' | 'late' | 'twice' | 'error' | 'no_capacity' | 'asleep'
  /** Milliseconds by which a late order has its effect. */
  readonly lateMs?: number
}

/** The machines of a provider, whatever protocol it speaks: orders, bills, and processes behind machines. */
export class Market {
  readonly machines: RentedMachine[] = []
  readonly faults: Fault[] = []
  readonly key: string
  readonly usdPerHour: number
  /** Starts what runs on a machine; returns how it is ended. */
  readonly #boot: (machine: StartedMachine) => () => void
  readonly #ends = new Map<string, () => void>()

  constructor(options: {
    readonly key: string
    readonly usdPerHour: number
    readonly boot?: (machine: StartedMachine) => () => void
  }) {
    this.key = options.key
    this.usdPerHour = options.usdPerHour
    this.#boot = options.boot ?? (() => () => undefined)
  }

  get running(): readonly RentedMachine[] {
    return this.machines.filter(({ endedAt }) => endedAt === null)
  }

  /** Rents a machine; `undefined` when the answer is to be lost, after which the machine may run all the same. */
  rent(machine: StartedMachine): RentedMachine | undefined | 'no_capacity' {
    const fault = this.faults.shift()
    if (fault?.kind === 'no_capacity') return 'no_capacity'
    if (fault?.kind === 'error') return undefined
    if (fault?.kind === 'late') {
      setTimeout(() => this.#start(machine), fault.lateMs ?? 0)
      return undefined
    }
    // The machine is charged for, and nothing runs on it.
    if (fault?.kind === 'asleep') return this.#start(machine, () => () => undefined)
    const started = this.#start(machine)
    if (fault?.kind !== 'twice') return started
    this.#start(machine)
    return undefined
  }

  #start(machine: StartedMachine, boot = this.#boot): RentedMachine {
    const rented: RentedMachine = {
      ...machine,
      id: randomBytes(6).toString('hex'),
      startedAt: Date.now(),
      endedAt: null,
    }
    this.machines.push(rented)
    this.#ends.set(rented.id, boot(machine))
    return rented
  }

  /** Ends a machine. Returns false for an unknown one. */
  end(id: string): boolean {
    const machine = this.machines.find((each) => each.id === id)
    if (machine === undefined) return false
    machine.endedAt ??= Date.now()
    this.#ends.get(id)?.()
    this.#ends.delete(id)
    return true
  }

  /** Ends what runs on a machine while the provider still charges for it. */
  kill(id: string): void {
    this.#ends.get(id)?.()
  }

  /** The bill by the second, US dollars. */
  billUsd(now = Date.now()): number {
    const ms = this.machines.reduce((sum, { startedAt, endedAt }) => sum + ((endedAt ?? now) - startedAt), 0)
    return (ms / 3_600_000) * this.usdPerHour
  }

  close(): void {
    for (const { id } of this.running) this.end(id)
  }
}
