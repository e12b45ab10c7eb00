import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';

import type { Server } from '@hapi/hapi';
import { DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, defaultTextMapGetter, diag, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from 'pino';

import { fieldOf } from '../../api/json/is-object';
import { statusOf } from '../../api/request/responses';
import { version } from '../../api/description/version';

/*
 * Spans by OpenTelemetry. This file is loaded only where traces are sent. What is traced says so in a channel of its own, which costs nothing while nobody
 * listens: `node:diagnostics_channel`. A span never has what a client sent: no path, no query, no header, no value of a statement.
 */

/** Milliseconds that the last spans have to be sent when the process ends. */
const LAST_SPANS = 3000;

/** Work that a request waits for: its channel, and what a span of it says. */
const kinds = {
    'pagewright:statement': { name: 'statement', kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } },
    'pagewright:queue': { name: 'queue', kind: SpanKind.INTERNAL, attributes: {} },
    'pagewright:storage': { name: 'storage', kind: SpanKind.CLIENT, attributes: {} }
} as const;

/** A piece of traced work. */
interface Work {
    attributes: Attributes;
}

export interface Traces {
    /** Sends what is left. It takes three seconds at most, and does not fail. */
    end(): Promise<void>;
}

/**
 * Sends a span for each request of a server, and for the statements, the time in queues and the work of the storage that it waits for.
 * @param endpoint base URL of a collector that takes OTLP over HTTP (OpenTelemetry Protocol 1.x), to which `/v1/traces` is added. All else is set by OpenTelemetry's own variables
 */
export function startTraces(server: Server, endpoint: string, logger: Logger): Traces {
    const warn = (message: string): void => logger.warn(`traces: ${message.slice(0, 500)}`);
    diag.setLogger({ error: warn, warn, info: Boolean, debug: Boolean, verbose: Boolean }, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    const provider = new NodeTracerProvider({
        resource: resourceFromAttributes({ 'service.name': 'pagewright', 'service.version': version }).merge(detectResources({ detectors: [envDetector] })),
        spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: LAST_SPANS }))]
    });
    const tracer = provider.getTracer('pagewright');
    const propagator = new W3CTraceContextPropagator();
    const current = new AsyncLocalStorage<Context>();
    const spans = new WeakMap<IncomingMessage, Span>();

    // Before hapi, so that all that the request does is in its context.
    const onRequest = (message: unknown): void => {
        if (fieldOf(message, 'server') === server.listener) {
            const request = fieldOf(message, 'request');
            assert(request instanceof IncomingMessage);
            const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter));
            spans.set(request, span);
            current.enterWith(trace.setSpan(ROOT_CONTEXT, span));
        }
    };

    subscribe('http.server.request.start', onRequest);
    server.events.on('response', ({ info, raw: { req }, route, response }) => {
        const span = spans.get(req);
        const method = route.method.toUpperCase();
        const status = statusOf(response);
        span?.updateName(`${method} ${route.path}`).setAttributes({ 'http.request.method': method === '*' ? '_OTHER' : method, 'http.route': route.path, 'http.response.status_code': status, 'pagewright.request_id': info.id });
        if (status >= 500) {
            span?.setStatus({ code: SpanStatusCode.ERROR });
        }

        span?.end();
    });

    const stops = Object.entries(kinds).map(([channel, { name, ...options }]) => {
        const begun = new WeakMap<Work, Span>();
        const listeners = {
            start: (work: Work) => {
                const context = current.getStore();
                // What no request waits for has no span: maintenance, thumbnails, the search.
                if (context !== undefined) {
                    begun.set(work, tracer.startSpan(name, options, context).setAttributes(work.attributes));
                }
            },
            asyncEnd: (work: Work) => begun.get(work)?.end(),
            end: Boolean, asyncStart: Boolean,
            error: (work: Work) => begun.get(work)?.setStatus({ code: SpanStatusCode.ERROR })
        };
        const traced = tracingChannel<unknown, Work>(channel);
        traced.subscribe(listeners);
        return () => traced.unsubscribe(listeners);
    });

    return {
        end: async () => {
            unsubscribe('http.server.request.start', onRequest);
            stops.forEach((stop) => stop());
            await provider.shutdown().catch((error: unknown) => warn(String(error)));
            diag.disable();
        }
    };
}
