import type { Context } from '../measure/context';
import type { Fact } from '../measure/figures';
import type { Options } from '../measure/options';
import { factTable } from '../report/table';
import { filmChild } from './child';
import { measureEditing } from './editing';
import { measureGallery } from './gallery';
import { measureNewcomer } from './newcomer';
import { drawn, startChromium, startProduct } from './product';
import { measureReading } from './reading';
import { filmTeacher } from './teacher';

/** Measures the website in a browser whose scripts are slowed down, and takes pictures of what people see at first. */
export async function runSite(options: Options, context: Context): Promise<boolean> {
    const { rounds } = options;
    const { log } = context;
    const service = await startProduct(context);
    const browser = await startChromium();
    const parts: Readonly<Record<string, () => Promise<Fact[]>>> = {
        reading: () => measureReading(browser, service, rounds, log),
        editing: () => measureEditing(browser, service, rounds, log),
        gallery: () => measureGallery(service, options, context),
        newcomer: () => measureNewcomer(browser, service, log),
        child: () => filmChild(browser, service),
        teacher: () => filmTeacher(browser, service)
    };
    const unknown = options.only.filter((name) => !(name in parts));
    try {
        if (unknown.length > 0) {
            throw new Error(`There is no part ${unknown.join(', ')}. The parts are: ${Object.keys(parts).join(', ')}`);
        }

        await drawn(service);
        for (const [name, measure] of Object.entries(parts)) {
            if (options.only.length === 0 || options.only.includes(name)) {
                process.stdout.write(`\n${factTable(await measure())}\n`);
            }
        }
    }
    finally {
        await browser.close();
    }

    return true;
}
