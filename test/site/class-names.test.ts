import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import fc from 'fast-check';

import { MOST_NAMES } from '../../src/limits';
import { compared, namesIn, repeated } from '../../web/classes/names';

export const lab = Lab.script();
const { describe, it } = lab;

const names = ['Ana María Ruiz', 'Ben O’Neill', 'Жанна Иванова', 'ليلى حداد'];

describe('a pasted list of names', () => {

    it('has a name a line, with blanks and empty lines left out', () => {
        expect(namesIn('Ana\n\n  Ben  Smith \r\nCem\r')).to.equal(['Ana', 'Ben Smith', 'Cem']);
        expect(namesIn('Ruiz, Ana\nSmith; Ben')).to.equal(['Ruiz, Ana', 'Smith; Ben']);
        expect(namesIn('Ana\tRuiz\nBen\tSmith')).to.equal(['Ana Ruiz', 'Ben Smith']);
        expect(namesIn(' \n\t\n')).to.equal([]);
        expect(namesIn('Ana\u0000\u2028Ruiz')).to.equal(['Ana Ruiz']);
    });

    it('is no table because somebody is called as a column is', () => {
        expect(namesIn('Pupil 1\nPupil 2')).to.equal(['Pupil 1', 'Pupil 2']);
        expect(namesIn('Student A, 5b\nStudent B, 5b')).to.equal(['Student A, 5b', 'Student B, 5b']);
    });

    it('is a table if its header says so, in any language of the site, with tabs, commas or semicolons', () => {
        for (const [header, ...cells] of [
            ['Name', 'Ana Ruiz'], ['First name,Last name', 'Ana,Ruiz'], ['No.\tSurname\tGiven name\tBorn', '1\tAna\tRuiz\t2015-01-01'], ['Student', 'Ana Ruiz'],
            ['Nombre;Apellidos', 'Ana;Ruiz'], ['Correo,Nombre completo', 'a@x.example,Ana Ruiz'], ['Nome,Sobrenome', '"Ana",Ruiz'], ['Имя;Фамилия', 'Ana;Ruiz'], ['№;ФИО', '1;Ana Ruiz'],
            ['الاسم,اسم العائلة', 'Ana,Ruiz'], ['الاسم الكامل', 'Ana Ruiz'], ['sourcedId,status,givenName,familyName,email', '9,active,Ana,Ruiz,a@x.example'], ['\uFEFFNAME ,x', 'Ana Ruiz,y']
        ]) {
            expect(namesIn([header, ...cells, ''].join('\r\n')), String(header)).to.equal(['Ana Ruiz']);
        }
    });

    it('has the pupils of a roster of OneRoster, and nobody else', () => {
        const header = 'sourcedId,status,dateLastModified,enabledUser,orgSourcedIds,role,username,userIds,givenName,familyName,middleName,email';
        const rows = [
            '1,active,,true,o,student,ana,,Ana,Ruiz,Maria,a@x.example', '2,,,,o,Student,ben,,Ben,Smith,,', '3,tobedeleted,,true,o,student,cem,,Cem,Kaya,,', '4,active,,false,o,student,dee,,Dee,Poe,,', '5,active,,TRUE,o,teacher,eve,,Eve,Hill,,'
        ];
        expect(namesIn([header, ...rows].join('\r\n'))).to.equal(['Ana Ruiz', 'Ben Smith']);
        // Version 1.2 has no roles in this file. And other tables may have such columns with anything in them.
        expect(namesIn('"sourcedId","status","givenName","familyName"\n"1","active","Ana","Ruiz"\n"2","tobedeleted","Cem","Kaya"')).to.equal(['Ana Ruiz']);
        expect(namesIn('Name,Role\nAna,goalkeeper\nBen,teacher')).to.equal(['Ana', 'Ben']);
    });

    it('reads back what a spreadsheet writes, whatever is in the names', () => {
        const written = (separator: string, cell: string): string => (/["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell);
        fc.assert(fc.property(fc.constantFrom('\t', ',', ';'), fc.array(fc.string({ unit: fc.constantFrom(...'aÜ"\',;.- 字ж') }), { maxLength: 20 }), (separator, cells) => {
            const text = [`No.${separator}Name`, ...cells.map((cell, at) => `${at}${separator}${written(separator, cell)}`)].join('\n');
            expect(namesIn(text)).to.equal(cells.map((cell) => cell.replace(/\s+/g, ' ').trim()).filter((cell) => cell !== ''));
        }));
    });

    it('adds who is missing, and nobody twice', () => {
        expect(compared(names, [])).to.equal({ missing: names, there: [] });
        expect(compared(names, names)).to.equal({ missing: [], there: names });
        expect(compared(['ana', 'Ana', 'ANA ', 'Ben'], ['Ana', 'Ｂｅｎ'])).to.equal({ missing: ['Ana', 'ANA '], there: ['ana', 'Ben'] });
        expect(repeated(['Ana', 'Ben', 'ana', 'Cem', 'ANA'])).to.equal(['Ana']);
        fc.assert(fc.property(fc.array(fc.constantFrom('Ana', 'ana', 'Ben', 'Cem')), fc.array(fc.constantFrom('Ana', 'ana', 'Ben', 'Cem')), (list, present) => {
            // With those who were missing, nobody is.
            expect(compared(list, [...present, ...compared(list, present).missing]).missing).to.equal([]);
        }));
    });

    it('is read quickly, however long it is', () => {
        const started = Date.now();
        expect(namesIn(`Name\n${'"'.repeat(100_000)}`)).to.have.length(1);
        expect(namesIn('x\n'.repeat(50_000))).to.have.length(50_000);
        expect(repeated(Array.from({ length: MOST_NAMES }, (_, at) => `Ana ${at}`))).to.equal([]);
        expect(Date.now() - started).to.be.below(2000);
    });
});
