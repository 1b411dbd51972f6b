/** Numbers of system calls on one architecture. */
interface Architecture {
  /** As `seccomp_data.arch` has it. */
  readonly audit: number
  readonly clone: number
  readonly clone3: number
  /** Calls that make processes, leave the namespaces, or look into the kernel. */
  readonly refused: readonly number[]
}

/** fork, vfork, ptrace, mount, unshare, setns, bpf, perf_event_open, userfaultfd, io_uring_setup, keyctl; numbers of Linux's tables. */
const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: { audit: 0xc000003e, clone: 56, clone3: 435, refused: [57, 58, 101, 165, 272, 308, 321, 298, 323, 425, 250] },
  arm64: { audit: 0xc00000b7, clone: 220, clone3: 435, refused: [117, 40, 97, 268, 280, 241, 282, 425, 219] },
}

const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_SET = 0x45
const RETURN = 0x06
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const NOT_PERMITTED = 0x00050000 + 1
const NO_SUCH_CALL = 0x00050000 + 38
const NUMBER_AT = 0
const ARCHITECTURE_AT = 4
const FLAGS_AT = 16
const CLONE_THREAD = 0x10000
/** Numbers from here on are of the x32 calls. */
const X32 = 0x40000000

type Step = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/**
 * Returns the filter for `bwrap --seccomp` as `struct sock_filter[]`: a program may start threads and no process. Null on an
 * architecture whose numbers are not known here. `clone3` seems not to exist, since its flags lie where no filter reads; libraries then
 * take `clone`.
 */
export function seccompFilter(architecture: NodeJS.Architecture): Buffer<ArrayBuffer> | null {
  const known = ARCHITECTURES[architecture]
  if (known === undefined) return null
  const refused = known.refused.flatMap((number): readonly Step[] => [
    [JUMP_EQUAL, 0, 1, number],
    [RETURN, 0, 0, NOT_PERMITTED],
  ])
  const steps: readonly Step[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [JUMP_EQUAL, 1, 0, known.audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER_AT],
    [JUMP_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, NOT_PERMITTED],
    ...refused,
    [JUMP_EQUAL, 0, 1, known.clone3],
    [RETURN, 0, 0, NO_SUCH_CALL],
    [JUMP_EQUAL, 1, 0, known.clone],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, FLAGS_AT],
    [JUMP_SET, 0, 1, CLONE_THREAD],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, NOT_PERMITTED],
  ]
  const filter = Buffer.alloc(steps.length * 8)
  for (const [place, [code, ifTrue, ifFalse, value]] of steps.entries()) {
    filter.writeUInt16LE(code, place * 8)
    filter.writeUInt8(ifTrue, place * 8 + 2)
    filter.writeUInt8(ifFalse, place * 8 + 3)
    filter.writeUInt32LE(value, place * 8 + 4)
  }
  return filter
}
