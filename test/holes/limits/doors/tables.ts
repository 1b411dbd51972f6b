import { CLOSED_COMPILE_DOORS, COMPILE_DOORS } from './compile.ts'
import type { Doors } from './door.ts'
import { CLOSED_GATEWAY_DOORS, GATEWAY_DOORS } from './gateway.ts'
import { KERNEL_DOORS } from './kernel.ts'
import { WORK_DOORS } from './work.ts'

/** The tables of doors by their server: each limit of a table is moved there, with all others of it. */
export const DOOR_TABLES: Readonly<Record<string, Doors>> = {
  'limits that are lower': { ...KERNEL_DOORS, ...GATEWAY_DOORS, ...COMPILE_DOORS, ...WORK_DOORS },
  'limits that leave no room': { ...CLOSED_GATEWAY_DOORS, ...CLOSED_COMPILE_DOORS },
}
