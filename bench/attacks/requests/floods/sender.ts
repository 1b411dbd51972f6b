import { connect, type Socket } from 'node:net'

/** One request as bytes; `head` is made again for each sending. */
export interface FloodRequest {
  readonly head: () => string
  readonly body: Buffer
}

/**
 * Sends requests over one connection, one after the other, until the time is over; answers how many were answered. A
 * connection that the service ends is opened again.
 */
export async function sendUntil(url: string, requests: readonly FloodRequest[], endsAt: number): Promise<number> {
  const { hostname, port } = new URL(url)
  let answered = 0
  for (let i = 0; performance.now() < endsAt;) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    // The service may end the connection at any time; then the rest goes over a new one.
    while (performance.now() < endsAt && !socket.destroyed) {
      const request = requests[i++ % requests.length]
      if (request === undefined) return answered
      if (await exchange(socket, request, endsAt)) answered++
      else break
    }
    socket.destroy()
  }
  return answered
}

/** Whether an answer came whole: by its length, or its last chunk. */
async function exchange(socket: Socket, { head, body }: FloodRequest, endsAt: number): Promise<boolean> {
  return await new Promise((resolve) => {
    let text = ''
    let received = 0
    let expected = Infinity
    const settle = (isAnswered: boolean) => {
      clearTimeout(timer)
      socket.off('data', onData)
      socket.off('close', onClose)
      resolve(isAnswered)
    }
    const onClose = () => settle(received > 0)
    const onData = (data: Buffer) => {
      received += data.length
      if (expected === Infinity) {
        text += data.toString('latin1')
        const end = text.indexOf('\r\n\r\n')
        if (end === -1) return
        const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1]
        expected = end + 4 + Number(length ?? 0)
      }
      if (received >= expected) settle(true)
    }
    const timer = setTimeout(() => settle(false), Math.max(1, endsAt - performance.now()))
    socket.on('data', onData)
    socket.once('close', onClose)
    socket.write(head())
    socket.write(body)
  })
}
