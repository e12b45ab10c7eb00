/** An event of a stream. */
export interface ServerEvent {
    name: string;
    data: string;
}

/** Reads an event stream (WHATWG HTML, section 9.2.6) from its text, in whatever pieces it comes. The ids are left out: the data of our events has them too. */
export class EventReader {
    /** milliseconds to wait before the next connection, if the stream has said so */
    retry: number | undefined;
    private rest = '';
    private endedWithCr = false;
    private fields = { name: '', data: Array.of<string>() };

    /** @returns the events that are complete with this piece */
    read(piece: string): ServerEvent[] {
        // A CR LF may be in two pieces. Its CR has ended the line.
        const text = this.rest + (this.endedWithCr && piece.startsWith('\n') ? piece.slice(1) : piece);
        this.endedWithCr = piece.endsWith('\r');
        const lines = text.split(/\r\n|\r|\n/);
        this.rest = lines.pop() ?? '';
        return lines.flatMap((line) => this.line(line) ?? []);
    }

    private line(line: string): ServerEvent | undefined {
        if (line === '') {
            const { name, data } = this.fields;
            this.fields = { name: '', data: [] };
            return data.length === 0 ? undefined : { name: name || 'message', data: data.join('\n') };
        }

        const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
        switch (field) {
            case 'event':
                this.fields.name = value;
                break;
            case 'data':
                this.fields.data.push(value);
                break;
            case 'retry':
                this.retry = /^\d+$/.test(value) ? Number(value) : this.retry;
        }

        return undefined;
    }
}
