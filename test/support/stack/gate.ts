import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A way to a server that can be shut: then its connections are lost, and new ones are refused. */
export interface Gate {
  readonly url: string
  shut(): Promise<void>
  open(): Promise<void>
}

/** Opens a gate before the server with this address, on a port that stays the same. */
export async function openGate(target: string): Promise<Gate> {
  const far = new URL(target)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  }
  let server: Server | undefined
  const listen = async (port: number): Promise<number> => {
    const opened = createServer((near) => {
      const beyond = connect(Number(far.port), far.hostname)
      for (const socket of [near, beyond]) keep(socket)
      near.on('close', () => beyond.destroy()).pipe(beyond)
      beyond.on('close', () => near.destroy()).pipe(near)
    })
    await new Promise<void>((resolve) => opened.listen(port, '127.0.0.1', resolve))
    server = opened
    return (opened.address() as AddressInfo).port
  }
  const port = await listen(0)
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    async shut() {
      const closing = server
      server = undefined
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => (closing === undefined ? resolve(undefined) : closing.close(resolve)))
    },
    async open() {
      await listen(port)
    },
  }
}
