import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import fc from 'fast-check';

import { MAX_NAMES } from '../../src/limits';
import { compared, repeated } from '../../web/classes/compare';
import { nameIn, namesIn, readList } from '../../web/classes/names';

export const lab = Lab.script();
const { describe, it } = lab;

const names = ['Ana María Ruiz', 'Ben O’Neill', 'Жанна Иванова', 'ليلى حداد'];
const two = ['Zoe Adams', 'Bo Lee'];

/** Lists as people have them, each with the names in it. */
const lists: Readonly<Record<string, readonly (readonly [text: string, names: readonly string[]])[]>> = {
    'names a line each, with blanks and empty lines': [
        ['Ana\n\n  Ben  Smith \r\nCem\r', ['Ana', 'Ben Smith', 'Cem']], [' \n\t\n', []], ['Ana\u0000\u2028Ruiz', ['Ana Ruiz']], ['Ana\tRuiz\nBen\tSmith', ['Ana Ruiz', 'Ben Smith']], ['Zoe,\nBen;\nCem', ['Zoe', 'Ben', 'Cem']],
        ['Pupil 1\nPupil 2', ['Pupil 1', 'Pupil 2']], ['Clara\nAnouk\n\'t Hooft\nJean-Luc\nSara Classen\nYearwood', ['Clara', 'Anouk', '\'t Hooft', 'Jean-Luc', 'Sara Classen', 'Yearwood']]
    ],
    'several names a line': [
        ['Zoe, Ben, Cem', ['Zoe', 'Ben', 'Cem']], ['Zoe, Ben and Cem', ['Zoe', 'Ben', 'Cem']], ['Zoe; Ben; Cem', ['Zoe', 'Ben', 'Cem']], ['张三、李四、王五', ['张三', '李四', '王五']], ['ليلى، سارة، علي', ['ليلى', 'سارة', 'علي']],
        ['Zoe, Ben, Cem\nDua, Eli', ['Zoe', 'Ben', 'Cem', 'Dua', 'Eli']], ['Zoe Adams <zoe@x.org>, Bo Lee <bo@x.org>', two], ['"Adams, Zoe" <zoe@x.org>; "Lee, Bo" <bo@x.org>', two], ['Adams, Zoe; Lee, Bo', two],
        ['Zoe and Ben', ['Zoe', 'Ben']], ['Zoe y Ben', ['Zoe', 'Ben']], ['Zoe, Ben, and Cem', ['Zoe', 'Ben', 'Cem']], ['Zoe Adams, Ben Roe und Cem Kaya.', ['Zoe Adams', 'Ben Roe', 'Cem Kaya']],
        ['Zoe / Ben / Cem', ['Zoe', 'Ben', 'Cem']], ['Zoe • Ben · Cem', ['Zoe', 'Ben', 'Cem']], ['1. Zoe 2. Ben 3. Cem', ['Zoe', 'Ben', 'Cem']], ['张三 李四 王五', ['张三', '李四', '王五']],
        ['Klasse 5b: Zoe, Ben, Cem', ['Zoe', 'Ben', 'Cem']], ['Group 1: Zoe, Ben\nGroup 2: Cem, Dua', ['Zoe', 'Ben', 'Cem', 'Dua']], ['Adams, Zoe, 5b\nLee, Bo, 5b', two], ['Ana García y Luz', ['Ana García y Luz']]
    ],
    'the family name first': [
        ['"Adams, Zoe"', ['Zoe Adams']], ['"Adams, Zoe"\n"Lee, Bo"', two], ['Adams, Zoe\nLee, Bo', two], ['Zoe Adams, Jr.\nBo Lee', ['Zoe Adams Jr.', 'Bo Lee']],
        ['Nachname, Vorname\tKlasse\nAdams, Zoe\t5b', ['Zoe Adams']], ['Apellidos, Nombre\nRuiz López, Ana María\nPérez, Juan', ['Ana María Ruiz López', 'Juan Pérez']]
    ],
    'bullets, numbers and quotes': [
        ['1. Zoe\n2) Ben\n(10) Cem\n11 Dua', ['Zoe', 'Ben', 'Cem', 'Dua']], ['• Zoe\n- Ben\n* Cem\n☐ Dua\n[ ] Eli\n– Fay', ['Zoe', 'Ben', 'Cem', 'Dua', 'Eli', 'Fay']], ['①张三\n２、李四\n３．王五', ['张三', '李四', '王五']], ['١. ليلى\n٢. علي', ['ليلى', 'علي']],
        ['\'Zoe\'\n„Ben“\n«Cem»\n“Dua”\n"Eli"', ['Zoe', 'Ben', 'Cem', 'Dua', 'Eli']], ['Name\n"Tiny" Tim\nZoe "Zed" Adams', ['"Tiny" Tim', 'Zoe "Zed" Adams']], ['"Zoe";"Adams"\n"Bo";"Lee"', two],
        ['1º Zoe\n2/ Ben\n3️⃣ Cem\n+ Dua\n\uF0B7 Eli', ['Zoe', 'Ben', 'Cem', 'Dua', 'Eli']], ['一、张三\n（二）李四', ['张三', '李四']], ['‚Zoe‘\n‹Ben›\n„Cem"\n**Dua**', ['Zoe', 'Ben', 'Cem', 'Dua']], ['Zoe Adams ✓\nBo Lee *', two], ['“Zoe Adams”,“5b”\n“Bo Lee”,“5b”', two],
        ['Ben 10\nPupil 1\nV. Woolf', ['Ben 10', 'Pupil 1', 'V. Woolf']]
    ],
    'addresses, dates, numbers and classes beside the names': [
        ['1\tZoe Adams\tzoe@x.org\t2015-03-12\t5b\n2\tBo Lee\tbo@x.org\t2015-04-12\t5b', two], ['Zoe Adams,zoe@x.org,12.03.2015\nBo Lee,bo@x.org,1.4.2015', two], ['Zoe Adams (zoe@x.org)\nBo Lee bo@x.org', two], ['Zoe Adams 12.03.2015\nBo Lee - 12 March 2015', two],
        ['Zoe Adams\nzoe@x.org\nBo Lee\nbo@x.org', two], ['Zoe Adams\t+49 170 1234567\nBo Lee\t0170/1234567', two], ['Zoe Adams;f;5b;2015\nBo Lee;m;5b;2016', two], ['Zoe Adams;zadams01\nBo Lee;blee02', two], ['Zoe Adams    5b\nBo Lee     5b', two], ['Zoe (Zed) Adams\nBo Lee (5b)', ['Zoe (Zed) Adams', 'Bo Lee']],
        ['Student A, 5b\nStudent B, 5b', ['Student A', 'Student B']], ['Clara\t5\nAnouk\t6', ['Clara', 'Anouk']], ['Etwas;Kontakt\nZoe;z@x.se\nBen;b@x.se', ['Zoe', 'Ben']], ['Zoé Dupont;6e B\nBo Lee;6ème A', ['Zoé Dupont', 'Bo Lee']],
        ['Zoe\tAdams\tTulips\nBo\tLee\tTulips\nCem\tKaya\tTulips\nDua\tLipa\tRoses\nEve\tHo\tRoses\nFay\tPo\tRoses', ['Zoe Adams', 'Bo Lee', 'Cem Kaya', 'Dua Lipa', 'Eve Ho', 'Fay Po']]
    ],
    'dates, ages, genders and classes as people write them': [
        ...['12-Mar-2015', 'Mar 12, 2015', 'March 12th, 2015', '12 марта 2015 г.', 'Thu 12 March 2015', 'Donnerstag, 12. März 2015', 'geb. 12.03.2015', '* 12.03.2015', 'born on 12 March 2015', '9 years', 'female', 'Mädchen', 'CM2', '2º ESO A', 'P5', '6e3', 'Kindergarten', '男']
            .flatMap((cell): [string, readonly string[]][] => [[`Zoe Adams\t${cell}\nBo Lee\t${cell}`, two], [`Zoe Adams;${cell}\nBo Lee;${cell}`, two]]),
        ...['12-Mar-2015', 'Mar 12, 2015', 'geb. 12.03.2015', '- 12 марта 2015 г.', '2015', '- 42075', '5b', '(she/her)', '(Guest)', 'https://x.example/a'].map((cell): [string, readonly string[]] => [`Zoe Adams ${cell}\nBo Lee ${cell}`, two]),
        ['Zoe Adams: 5b\nBo Lee / 5b', two], ['Zoe Adams\tHauptstr. 1\t12345 Berlin\nBo Lee\tNebenstr. 2\t12345 Bonn', two],
        ['5b Zoe Adams\n5b Bo Lee', two], ['Class 5b\tZoe Adams\nClass 5b\tBo Lee', two], ['Mon 12.03.2015\nSun 1.4.2015', ['Mon', 'Sun']]
    ],
    'titles above, and sums below': [
        ['sep=;\nFirst name;Last name\nZoe;Adams\nBo;Lee', two], ['"sep=,"\r\nName,E-mail\r\n"Adams, Zoe",z@x.org\r\n', ['Zoe Adams']], ['sep=|\nName|Class\nZoe Adams|5b', ['Zoe Adams']], ['Class 5b\n\nName\nZoe\nBen', ['Zoe', 'Ben']], ['Class 5b\nZoe\nBen\nTotal: 2', ['Zoe', 'Ben']], ['学生:\n张三\n李四', ['张三', '李四']],
        ['Klasse 5b;;\nLehrerin: Frau Maier;;\nNr.;Nachname;Vorname\n1;Adams;Zoe\n2;Lee;Bo\nSumme: 2;;', two], ['| Name | Class |\n|---|---|\n| Zoe Adams | 5b |\n| Bo Lee | 5b |', two], ['Name\nZoe Adams\nName\nBo Lee', two],
        ...['5b', 'Year 5', 'Group A', 'Pupils in 5b', 'Žáci 5.A', 'Liste der Schülerinnen und Schüler'].map((title): [string, readonly string[]] => [`${title}\nZoe Adams\nBo Lee`, two]), ['Boys\nBo Lee\nGirls\nZoe Adams\n2 Kinder\nPage 1 of 1', ['Bo Lee', 'Zoe Adams']],
        ['Student,ID\n    Points Possible,\n"Adams, Zoe",1\n"Lee, Bo",2', two], ['Surname, First name\n"Adams, Zoe"\n"Lee, Bo"', two], ['Name: Zoe Adams\nName: Bo Lee', two], ['姓名：张三\n姓名：李四', ['张三', '李四']], ['Ana\nIme\nCem', ['Ana', 'Ime', 'Cem']]
    ],
    'headers in many languages': [
        ['Name', 'Zoe Adams'], ['First name,Last name', 'Zoe,Adams'], ['No.\tSurname\tGiven name\tBorn', '1\tAdams\tZoe\t2015-01-01'], ['Student First Name,Student Last Name,Student Email', 'Zoe,Adams,z@x.org'], ['\uFEFFNAME ,x', 'Zoe Adams,y'], ['Vorname;Nachname', 'Zoe;Adams'], ['Name;Vorname', 'Adams;Zoe'],
        ['Name der Schülerin / des Schülers;Geb.', 'Zoe Adams;1.2.2015'], ['Nom;Prénom', 'Adams;Zoe'], ['Nom de l’élève;Classe', 'Zoe Adams;6e B'], ['Cognome;Nome', 'Adams;Zoe'], ['Cognome e nome', '"Adams, Zoe"'], ['Příjmení;Jméno', 'Adams;Zoe'], ['Celé jméno;Třída', 'Zoe Adams;5.B'],
        ['Nombre;Apellidos', 'Zoe;Adams'], ['Correo,Nombre completo', 'a@x.example,Zoe Adams'], ['Nome,Sobrenome', '"Zoe",Adams'], ['Имя;Фамилия', 'Zoe;Adams'], ['Фамилия\tИмя\tОтчество', 'Adams\tZoe\tA'], ['№;ФИО', '1;Zoe Adams'], ['الاسم,اسم العائلة', 'Zoe,Adams'], ['الاسم الكامل،الصف', 'Zoe Adams،5'], ['姓名,学号', 'Zoe Adams,2023001'], ['Imię;Nazwisko', 'Zoe;Adams'],
        ['Voornaam;Achternaam', 'Zoe;Adams'], ['Ad Soyad;Sınıf', 'Zoe Adams;5-B'], ['Etternavn;Fornavn', 'Adams;Zoe'], ['sourcedId,status,givenName,familyName,email', '9,active,Zoe,Adams,a@x.example'],
        ['Vorname Nachname', 'Zoe Adams'], ['First name Last name', 'Zoe Adams'], ['Alumno/a', '"Adams, Zoe"'], ['Schüler*in', 'Zoe Adams'], ['Élève(s)', 'Zoe Adams'], ['Schüler:innen', 'Zoe Adams'], ['Last, First', '"Adams, Zoe"'], ['ADI;SOYADI', 'Zoe;Adams'], ['ΕΠΩΝΥΜΟ;ΟΝΟΜΑ', 'Adams;Zoe'], ['Meno;Priezvisko', 'Zoe;Adams'], ['Ime;Prezime', 'Zoe;Adams'], ['Priimek in ime', '"Adams, Zoe"'],
        ['Име;Фамилия', 'Zoe;Adams'], ['Nume;Prenume', 'Adams;Zoe'], ['Vārds;Uzvārds', 'Zoe;Adams'], ['Pavardė;Vardas', 'Adams;Zoe'], ['Nom;Cognoms', 'Zoe;Adams'], ['Mbiemri;Emri', 'Adams;Zoe'], ['ชื่อ\tนามสกุล', 'Zoe\tAdams'], ['ชื่อ-สกุล\tชั้น', 'Zoe Adams\tป.5'], ['نام\tنام خانوادگی', 'Zoe\tAdams'], ['Nom de naissance;Prénom', 'Adams;Zoe'],
        ['छात्र का नाम', 'Zoe Adams'], ['Họ tên', 'Zoe Adams'], ['Nama Siswa', 'Zoe Adams']
    ].map(([header, row]) => [`${header}\r\n${row}\r\n`, ['Zoe Adams']])
};

describe('a pasted list of names', () => {

    for (const [what, cases] of Object.entries(lists)) {
        it(`has ${what}`, () => {
            for (const [text, right] of cases) {
                expect(namesIn(text), text).to.equal([...right]);
            }
        });
    }

    it('writes names of one script without a blank as it does', () => {
        expect(namesIn('序号\t姓\t名\n1\t张\t三')).to.equal(['张三']);
        expect(namesIn('성\t이름\n김\t민수')).to.equal(['민수']);
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

    it('says what each column is taken for, which can be changed', () => {
        const table = readList('Vorname;Nachname;Mail;Geboren;Klasse;Haus\nZoe;Adams;z@x.org;1.2.2015;5b;Rot');
        expect(table.columns).to.equal(['given', 'family', 'address', 'date', 'class', 'other']);
        expect(table.header[2]).to.equal('Mail');
        expect(table.rows.map((row) => nameIn({ columns: ['family', 'other', 'other', 'other', 'other', 'given'] }, row))).to.equal(['Rot Zoe']);
        expect(readList('Klasse 5b\nZoe').rows.map(({ isPupil }) => isPupil)).to.equal([false, true]);
        expect(readList('Zoe, Ben\nCem, Dua', true).rows.map(({ cells }) => cells)).to.equal([['Zoe'], ['Ben'], ['Cem'], ['Dua']]);
        expect(readList('Zoe, Ben, Cem', false).columns).to.have.length(3);
    });

    it('reads back what a spreadsheet writes', () => {
        const written = (separator: string, cell: string): string => (/["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell);
        const letters = fc.string({ unit: fc.constantFrom(...'aÜ"\';.- 字ж'), maxLength: 12 }).map((text) => `Ä${text}ö`);
        fc.assert(fc.property(fc.constantFrom('\t', ',', ';'), fc.array(letters, { maxLength: 20 }), (separator, cells) => {
            const text = [`No.${separator}Name`, ...cells.map((cell, at) => `${at}${separator}${written(separator, cell)}`)].join('\n');
            expect(namesIn(text)).to.equal(cells.map((cell) => cell.replace(/\s+/g, ' ').trim()));
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

    it('is read, however long it is', () => {
        for (const part of ['"', 'x\n', '"a,', '(', '- ', '1 ', '1-', '1.1.', 'a@', 'a    ', '“', 'www.']) {
            expect(namesIn(`Name\n${part.repeat(3000)}`).length, part).to.be.at.most(3000);
        }

        expect(repeated(Array.from({ length: MAX_NAMES }, (_, at) => `Ana ${at}`))).to.equal([]);
    });
});
